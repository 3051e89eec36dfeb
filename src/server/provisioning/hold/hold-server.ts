import { eq } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { Held, HoldInput } from './held-server.ts'

type Server = { id: number; name: string; tokenId: number }

/**
 * Lets a job have a server, until it is released: every other job and request leaves it alone. The
 * caller holds its lock. By `lastUpdated` the job tells its own hold from a later one (`holdBy`).
 */
export const markHeld = (tx: Db, instanceId: number, at: Date, status: string = UPDATING) =>
  tx
    .update(instances)
    .set({ status, lastUpdated: at, powerFailure: null })
    .where(eq(instances.id, instanceId))

/** The same, as the input of the job says it. */
export async function holdServer(
  tx: Db,
  { id, tokenId, name }: Server,
  at: Date,
  status: string = UPDATING,
): Promise<HoldInput & { name: string }> {
  await markHeld(tx, id, at, status)
  return { instanceId: id, tokenId, name, since: at.toISOString() }
}

/** Ends the hold, with what the server is like now. */
export const release = (tx: Db, { instance }: Held, status: string, now: Date) =>
  tx
    .update(instances)
    .set({ status, powerFailure: null, lastUpdated: now })
    .where(eq(instances.id, instance.id))
