import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/** Pages of 8 kB for its buffers: 32 MB instead of 128, because it has one user. */
const START = [...PGlite.defaultStartParams, '-B', '4096']

/** PostgreSQL in WASM, with little memory. */
export const createPglite = (options: PGliteOptions = {}): Promise<PGlite> =>
  PGlite.create({ startParams: START, ...options })
