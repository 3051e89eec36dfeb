import { and, eq, isNull, lte } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { ANSWERS_MS, silentWords } from '#shared/rules/instance/proof-of-life.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { lockOrder, moveOrder, type OrderRow } from '../../orders/orders.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { witnessedIn, witnessedNow } from '../lifecycle/witness.ts'
import type { ProvisionDeps } from './provision-state.ts'

type SilenceDeps = Pick<JobDeps, 'db' | 'clock' | 'events' | 'audit' | 'log'>
type OfJob = { jobId: string; orderId: number }

const isMade = ({ jobId, orderId }: OfJob) =>
  and(eq(orders.id, orderId), eq(orders.jobId, jobId), eq(orders.status, 'provisioning'))

/**
 * From here on the new server has its ten minutes to answer. They are counted in witnessed time, as
 * the grace before a removal is: neither a clock that jumps nor an outage of ours uses them up. To
 * say it twice changes nothing.
 */
export async function expectAnswer(
  { db, clock, witness }: Pick<ProvisionDeps, 'db' | 'clock' | 'witness'>,
  order: OfJob,
): Promise<void> {
  const answerByMs = (await witnessedNow({ db, clock }, witness)) + ANSWERS_MS
  await db
    .update(orders)
    .set({ answerByMs })
    .where(and(isMade(order), isNull(orders.answerByMs)))
}

/** Fails once the order is no longer being made by this job. */
export async function requireMade(db: Db, order: OfJob): Promise<void> {
  const [row] = await db.select({ id: orders.id }).from(orders).where(isMade(order))
  if (!row) throw new AppError('INVALID_STATE', 'The order was cancelled meanwhile.')
}

/** For a restored backup: what had begun to wait begins again. */
export const forgetDeadlines = (tx: Db) =>
  tx.update(orders).set({ answerByMs: null }).where(eq(orders.status, 'provisioning'))

/** The orders whose servers had their time to answer. None while the time is in doubt. */
async function silentOrders(db: Db): Promise<Pick<OrderRow, 'id'>[]> {
  const { ms, isDoubtful } = await witnessedIn(db)
  if (isDoubtful) return []
  return await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.status, 'provisioning'), lte(orders.answerByMs, ms)))
}

/**
 * Ends this order if its server had its time to answer: the money becomes the client's credit. The
 * job finds the order cancelled and removes the VM, whenever its cluster allows it.
 */
function giveBack({ db, clock, events, audit }: SilenceDeps, { id }: Pick<OrderRow, 'id'>) {
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, id)
    // Another process may have been faster, or the server has answered.
    const isStillDue = (await silentOrders(tx)).some((due) => due.id === id)
    if (!isStillDue) return
    const now = clock.now()
    const isPaid = order.amountCents > 0
    await moveOrder(tx, order, {
      to: 'cancelled',
      now,
      values: { returnedAt: now, failure: silentWords({ isPaid }), failureDetail: null },
    })
    await publishTokenChange(tx, events, order.userId)
    await audit.record(tx, undefined, { action: 'order.returned', target: `order:${id}` })
  })
}

/** What the client was told if the server stayed silent and the order has ended; else undefined. */
export async function endOfWaiting(
  deps: SilenceDeps,
  { orderId }: OfJob,
): Promise<string | undefined> {
  const isDue = (await silentOrders(deps.db)).some(({ id }) => id === orderId)
  if (isDue) await giveBack(deps, { id: orderId })
  const [order] = await deps.db
    .select({ returnedAt: orders.returnedAt, failure: orders.failure })
    .from(orders)
    .where(eq(orders.id, orderId))
  return order?.returnedAt ? (order.failure ?? undefined) : undefined
}

/**
 * Gives the money of silent servers back. Their jobs may be waiting for a cluster that is away, or
 * for a process that was killed; the client does not wait for either.
 */
export function createSilenceSweep(deps: SilenceDeps) {
  return async (): Promise<void> => {
    for (const order of await silentOrders(deps.db)) {
      try {
        await giveBack(deps, order)
      } catch (error) {
        deps.log.error(
          { err: error, orderId: order.id },
          'the money of an order was not given back',
        )
      }
    }
  }
}
