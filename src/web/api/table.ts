import { table } from 'virtual:route-table'

/** Every call there is. Only method and path exist here at run time; see vite.config.ts. */
export const api = table
