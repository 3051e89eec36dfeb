import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { JobDefinition, StepContext } from '../../jobs/job-definition.ts'
import { moveOrder, type OrderRow } from '../../orders/orders.ts'
import type { Deps } from '../../runtime/deps.ts'
import { holdBy } from '../hold/held-server.ts'
import { markHeld } from '../hold/hold-server.ts'

export const ChangeInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name it was sold by. */
  name: z.string(),
  since: z.string(),
  /** Its money is held until the server has the package, and is credit again if it cannot. */
  orderId: z.number().int(),
  planName: z.string(),
  /** Its name with the package; contains its size (T12). */
  serverName: z.string(),
  /** What every later term costs. */
  priceCents: z.number().int(),
  /** Its client agreed to a stop and a start; else other cores and memory wait for the next one. */
  restart: z.boolean(),
})
export type ChangeInput = z.output<typeof ChangeInput>
export type ChangeContext = StepContext<ChangeInput>

export const hold = holdBy({
  status: UPDATING,
  over: 'This change of the package is over. Begin another one.',
})

type BeginDeps = Pick<Deps, 'clock' | 'jobs'> & {
  changePackage: JobDefinition<typeof ChangeInput>
}
type Begun = Omit<ChangeInput, 'since' | 'orderId'>

/** Claims the server for the job of a paid order. The caller holds the locks of both rows. */
export async function beginChange(
  tx: Db,
  order: OrderRow,
  server: Begun,
  { clock, jobs, changePackage }: BeginDeps,
): Promise<string> {
  const now = clock.now()
  await markHeld(tx, server.instanceId, now)
  const input = { ...server, orderId: order.id, since: now.toISOString() }
  const owner = order.userId === null ? {} : { ownerId: order.userId }
  const jobId = await jobs.enqueue(tx, changePackage, input, owner)
  await moveOrder(tx, order, { to: 'provisioning', now, values: { jobId } })
  return jobId
}
