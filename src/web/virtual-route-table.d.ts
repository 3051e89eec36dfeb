declare module 'virtual:route-table' {
  import type { Api } from '#shared/api/index.ts'
  /** Method and path of each route. Typed as the whole table; the schemas exist only in types. */
  export const table: Api
}
