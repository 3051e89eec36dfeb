import type { Plugin } from 'vite'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'

const TABLE = 'virtual:route-table'
const INTERNAL = `\0${TABLE}`
const MAKERS = `${TABLE}/makers`

/**
 * The browser needs only method and path of each route, and whether it takes an idempotency key.
 * The schemas stay out of its bundle (zod costs 23 kB); the table itself remains the one in
 * `shared/api`. Each noun is a module of its own, so that a page loads only the calls it makes. See
 * docs/decisions/003.
 */
export const routeTable = (): Plugin => ({
  name: 'hushbox-route-table',
  resolveId: (id) =>
    id.startsWith(TABLE) ? { id: `\0${id}`, moduleSideEffects: false } : undefined,
  load(id) {
    if (!id.startsWith(INTERNAL)) return undefined
    if (id === `\0${MAKERS}`) return MAKE
    const wanted = id.slice(INTERNAL.length + 1)
    const nouns = Object.entries<Record<string, Route>>(api)
    if (wanted === '') {
      return nouns.map(([noun]) => `export { ${noun} } from '${TABLE}/${noun}'`).join('\n')
    }
    const group = nouns.find(([noun]) => noun === wanted)?.[1]
    if (!group) return undefined
    const rows = Object.entries(group).map(row).join()
    return `import { call, get } from '${MAKERS}'\nexport const ${wanted} = {${rows}}`
  },
})

// Functions and not objects: what repeats costs bytes.
const MAKE = `
  export const call = (method, path, idempotent) => ({ method, path: '/api/' + path, idempotent })
  export const get = (path) => call('GET', path)
`

function row([name, { method, path, idempotent }]: [string, Route]): string {
  const rest = JSON.stringify(path.replace(/^\/api\//, ''))
  if (method === 'GET' && !idempotent) return `${name}:get(${rest})`
  return `${name}:call('${method}',${rest}${idempotent ? ',true' : ''})`
}
