import { sql } from 'drizzle-orm'
import type { DeliveryFigures } from '#shared/api/shop/delivery.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import type { Deps } from '../../runtime/deps.ts'

const PERIOD_MS = 30 * DAY_MS

const seconds = sql`extract(epoch from ${orders.answeredAt} - ${orders.beganAt})`

/** What the last 30 days were like, for everyone to see. */
export async function deliveryFigures({
  db,
  clock,
}: Pick<Deps, 'db' | 'clock'>): Promise<DeliveryFigures> {
  const since = new Date(clock.now().getTime() - PERIOD_MS)
  const isAnswered = sql`${orders.answeredAt} >= ${since}`
  const isReturned = sql`${orders.returnedAt} >= ${since}`
  const [row] = await db
    .select({
      delivered: sql<number>`count(*) filter (where ${isAnswered})::int`,
      returned: sql<number>`count(*) filter (where ${isReturned})::int`,
      medianSeconds: sql<number | null>`round(greatest(0,
        percentile_cont(0.5) within group (order by ${seconds}) filter (where ${isAnswered})))::int`,
    })
    .from(orders)
    .where(sql`${isAnswered} or ${isReturned}`)
  const { delivered = 0, returned = 0, medianSeconds = null } = row ?? {}
  // `greatest` ignores null, so a median of nothing would be 0.
  return { delivered, returned, medianSeconds: delivered === 0 ? null : medianSeconds }
}
