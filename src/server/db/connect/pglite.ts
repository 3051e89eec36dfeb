import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/** Pages of 8 kB for its buffers: 32 MB instead of 128, because it has one user. */
const START = [...PGlite.defaultStartParams, '-B', '4096']

/**
 * A query runs inside this process and ends without a turn of the event loop, and so do all that
 * wait behind it. Between them the loop gets its turn: otherwise no socket is read and every timer is
 * late until the last one is done.
 */
class FairPglite extends PGlite {
  override _runExclusiveTransaction<T>(work: () => Promise<T>): Promise<T> {
    return super._runExclusiveTransaction(async () => {
      await nextTurn()
      return await work()
    })
  }
}

/** PostgreSQL in WASM, with little memory. */
export async function createPglite(options: PGliteOptions = {}): Promise<PGlite> {
  const pglite = new FairPglite({ startParams: START, ...options })
  await pglite.waitReady
  return pglite
}
