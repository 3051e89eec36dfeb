import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { webhookEvents } from '../db/schema/ledger.ts'
import { payments } from '../db/schema/sales.ts'
import type { Deps } from '../runtime/deps.ts'
import type { PaymentFacts } from './port/payment-provider.ts'
import { ProviderError } from './port/provider-errors.ts'
import type { Providers } from './ways/providers.ts'

export type ReportRow = typeof webhookEvents.$inferSelect
type PaymentRow = typeof payments.$inferSelect

/** Summarises the effect of a report; undefined if the report is about something else. */
export type ReportReader = (report: ReportRow) => Promise<string | undefined>

export type SettleDeps = Pick<Deps, 'db'> & {
  providers: Providers
  settle: (paymentId: number, facts: PaymentFacts) => Promise<{ status: string }>
}

/** Asks the provider for the state of a payment and applies it, whatever the trigger (O5). */
export async function lookAt({ db, providers, settle }: SettleDeps, payment: PaymentRow) {
  const fetchState = (await providers.now(db)).named(payment.provider)?.fetchState
  if (!fetchState) return payment
  return await settle(payment.id, await fetchState(payment.providerPaymentId))
}

/**
 * Reads reports about payments. A report proves only that something happened; the facts are
 * fetched.
 */
export function paymentReports(deps: SettleDeps): ReportReader {
  const { db, providers } = deps
  const known = async (provider: string, providerPaymentId: string) => {
    const isIt = eq(payments.providerPaymentId, providerPaymentId)
    const [row] = await db
      .select()
      .from(payments)
      .where(and(eq(payments.provider, provider), isIt))
    return row
  }
  return async ({ provider: name, subject }) => {
    if (subject === null) return undefined
    const provider = (await providers.now(db)).named(name)
    // The report waits: the operator may give the keys back.
    if (!provider) throw new ProviderError('refused', `there are no keys for ${name}`)
    let payment = await known(name, subject)
    if (!payment) {
      const whole = await provider.paymentOf?.(subject)
      payment = whole === undefined ? undefined : await known(name, whole)
    }
    if (!payment) return undefined
    const { status } = await lookAt(deps, payment)
    return `order ${payment.orderId}: ${status}`
  }
}

type ReportDeps = Pick<Deps, 'db' | 'clock'> & { readers: ReportReader[] }

/** How long Stripe retries a delivery. */
const REDELIVERED_FOR_MS = 3 * DAY_MS
const KEPT_MS = 90 * DAY_MS
const BATCH = 100

export type Reports = ReturnType<typeof createReports>

/** Stored reports. Handling one twice is harmless; missing one is not. */
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

    /** By then no provider redelivers the report, and a redelivery would change nothing. */
    async prune(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      await db.delete(webhookEvents).where(lt(webhookEvents.receivedAt, before))
    },

    /** Oldest first: reports whose job could not reach the provider. */
    async waiting(): Promise<{ id: number; provider: string }[]> {
      const since = new Date(clock.now().getTime() - REDELIVERED_FOR_MS)
      return await db
        .select({ id: webhookEvents.id, provider: webhookEvents.provider })
        .from(webhookEvents)
        .where(and(isNull(webhookEvents.handledAt), gt(webhookEvents.receivedAt, since)))
        .orderBy(asc(webhookEvents.id))
        .limit(BATCH)
    },
  }
}
