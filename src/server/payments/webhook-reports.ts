import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { webhookEvents } from '../db/schema/ledger.ts'
import { payments } from '../db/schema/sales.ts'
import type { Deps } from '../runtime/deps.ts'
import type { PaymentFacts, PaymentProvider } from './port/payment-provider.ts'

export type ReportRow = typeof webhookEvents.$inferSelect
type PaymentRow = typeof payments.$inferSelect

/** What a report led to, in a few words; undefined where it is about something else. */
export type ReportReader = (report: ReportRow) => Promise<string | undefined>

export type SettleDeps = Pick<Deps, 'db'> & {
  provider: PaymentProvider
  settle: (paymentId: number, facts: PaymentFacts) => Promise<{ status: string }>
}

/** Asks the provider what it knows of a payment and acts on that, whatever made us ask (O5). */
export async function lookAt({ provider, settle }: SettleDeps, payment: PaymentRow) {
  const { name, fetchState } = provider
  if (!fetchState || name !== payment.provider) return payment
  return await settle(payment.id, await fetchState(payment.providerPaymentId))
}

/** Reports about payments: the report itself is believed nothing but that something happened. */
export function paymentReports(deps: SettleDeps): ReportReader {
  const { db, provider } = deps
  const known = async (providerPaymentId: string) => {
    const isIt = eq(payments.providerPaymentId, providerPaymentId)
    const [row] = await db
      .select()
      .from(payments)
      .where(and(eq(payments.provider, provider.name), isIt))
    return row
  }
  return async ({ subject }) => {
    if (subject === null) return undefined
    let payment = await known(subject)
    if (!payment) {
      const whole = await provider.paymentOf?.(subject)
      payment = whole === undefined ? undefined : await known(whole)
    }
    if (!payment) return undefined
    const { status } = await lookAt(deps, payment)
    return `order ${payment.orderId}: ${status}`
  }
}

type ReportDeps = Pick<Deps, 'db' | 'clock'> & { readers: ReportReader[] }

/** As long as Stripe itself tries to deliver. */
const PATIENCE_MS = 3 * DAY_MS
const KEPT_MS = 90 * DAY_MS
const BATCH = 100

export type Reports = ReturnType<typeof createReports>

/** What was reported and stored. Looking at a report twice is harmless; not at all would not be. */
export function createReports({ db, clock, readers }: ReportDeps) {
  const outcomeOf = async (report: ReportRow): Promise<string> => {
    for (const read of readers) {
      const outcome = await read(report)
      if (outcome !== undefined) return outcome
    }
    return 'nothing of ours'
  }

  return {
    async handle(id: number): Promise<void> {
      const [report] = await db.select().from(webhookEvents).where(eq(webhookEvents.id, id))
      if (!report || report.handledAt !== null) return
      const outcome = await outcomeOf(report)
      await db
        .update(webhookEvents)
        .set({ handledAt: clock.now(), outcome })
        .where(eq(webhookEvents.id, id))
    },

    /** By then no provider reports the same again; and if one did, it would change nothing. */
    async prune(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      await db.delete(webhookEvents).where(lt(webhookEvents.receivedAt, before))
    },

    /** Oldest first: those whose job could not reach the provider. */
    async waiting(): Promise<number[]> {
      const since = new Date(clock.now().getTime() - PATIENCE_MS)
      const rows = await db
        .select({ id: webhookEvents.id })
        .from(webhookEvents)
        .where(and(isNull(webhookEvents.handledAt), gt(webhookEvents.receivedAt, since)))
        .orderBy(asc(webhookEvents.id))
        .limit(BATCH)
      return rows.map(({ id }) => id)
    },
  }
}
