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
    const slim = Object.entries(api).map(([noun, group]) => [
      noun,
      Object.fromEntries(
        Object.entries<Route>(group).map(([name, { method, path, idempotent }]) => [
          name,
          { method, path, idempotent },
        ]),
      ),
    ])
    return `export const table = ${JSON.stringify(Object.fromEntries(slim))}`
  },
})
