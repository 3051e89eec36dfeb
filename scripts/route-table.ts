import type { Plugin } from 'vite'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'

/**
 * The browser needs only method and path of each route, and whether it takes an idempotency key.
 * The schemas stay out of its bundle (zod costs 23 kB); the table itself remains the one in
 * `shared/api`. See docs/decisions/003.
 */
export const routeTable = (): Plugin => ({
  name: 'hushbox-route-table',
  resolveId: (id) => (id === 'virtual:route-table' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:route-table') return undefined
    const groups = Object.entries(api).map(
      ([noun, group]) => `${noun}:{${Object.entries<Route>(group).map(row).join()}}`,
    )
    return `${MAKE}export const table={${groups.join()}}`
  },
})

// Functions and not objects: every visitor loads the table, and what repeats costs bytes.
const MAKE = `
  const call = (method, path, idempotent) => ({ method, path: '/api/' + path, idempotent })
  const get = (path) => call('GET', path)
`

function row([name, { method, path, idempotent }]: [string, Route]): string {
  const rest = JSON.stringify(path.replace(/^\/api\//, ''))
  if (method === 'GET' && !idempotent) return `${name}:get(${rest})`
  return `${name}:call('${method}',${rest}${idempotent ? ',true' : ''})`
}
