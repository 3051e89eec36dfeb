/** Every call of the API. Only method and path exist here at run time; see vite.config.ts. */
export * as api from 'virtual:route-table'
