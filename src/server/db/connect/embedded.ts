import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { fromPglite } from 'pg-boss'
import { lockDataDir } from '../data-dir-lock.ts'
import type { Database } from '../database.ts'
import { guardTransactions } from '../transaction-guard.ts'
import { createPglite } from './pglite.ts'

/** Opens PostgreSQL-in-WASM under the data folder, exclusively. */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const unlock = await lockDataDir(dataDir)
  try {
    const pglite = await createPglite({ dataDir: join(dataDir, 'pglite') })
    return wrapPglite(pglite, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

export function wrapPglite(pglite: PGlite, unlock: () => Promise<void>): Database {
  return {
    kind: 'embedded',
    db: guardTransactions(drizzle({ client: pglite, casing: 'snake_case' })),
    queue: fromPglite(pglite),
    listen: (channel, onMessage) => pglite.listen(channel, onMessage),
    // There is one connection: every query waits in the same queue.
    waitForIdlePool: async () => {},
    async maintain() {
      await pglite.exec('VACUUM')
      await pglite.exec('CHECKPOINT')
    },
    async close() {
      if (!pglite.closed) {
        await pglite.exec('CHECKPOINT')
        await pglite.close()
      }
      await unlock()
    },
  }
}
