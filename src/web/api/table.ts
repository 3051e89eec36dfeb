import { table } from 'virtual:route-table'

/** Every call of the API. Only method and path exist here at run time; see vite.config.ts. */
export const api = table
