import { and, desc, eq, inArray, notInArray, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { ENDED_SUBSCRIPTIONS, payments, subscriptions } from '../../db/schema/sales.ts'
import { jobs } from '../../db/schema/work.ts'
import { UNFINISHED } from '../../jobs/job-store.ts'
import { OPEN } from '../../payments/payment-rows.ts'
import { isWatched } from '../../payments/poll.ts'

/** The payment that a client began last and that may still be paid. */
export async function newestOpen(tx: Db, provider: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: payments.providerPaymentId })
    .from(payments)
    .where(and(eq(payments.provider, provider), inArray(payments.status, OPEN)))
    .orderBy(desc(payments.id))
    .limit(1)
  return row?.id
}

/**
 * What still needs the keys of a provider, in words; empty if nothing does. Money may come for a
 * payment for a day after it has ended.
 */
export async function openAt(tx: Db, provider: string, now: Date): Promise<string[]> {
  const watched = await tx.$count(payments, and(eq(payments.provider, provider), isWatched(now)))
  const refunds = await tx.$count(
    jobs,
    and(
      eq(jobs.kind, 'refund'),
      inArray(jobs.state, UNFINISHED),
      sql`exists (select 1 from ${payments} where ${payments.provider} = ${provider}
        and ${payments.id} = (${jobs.input} ->> 'paymentId')::int)`,
    ),
  )
  const renewing =
    provider === 'stripe'
      ? await tx.$count(subscriptions, notInArray(subscriptions.status, ENDED_SUBSCRIPTIONS))
      : 0
  return [
    counted(watched, 'payment that is open or ended within a day'),
    counted(refunds, 'refund under way'),
    counted(renewing, 'server that renews by card'),
  ].flatMap((text) => text ?? [])
}

const counted = (of: number, what: string): string | undefined =>
  of === 0 ? undefined : `${of} × ${what}`
