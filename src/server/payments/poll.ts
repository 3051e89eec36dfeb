import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { settings } from '../db/schema/accounts.ts'
import { disputes, payments } from '../db/schema/sales.ts'
import type { Deps } from '../runtime/deps.ts'
import { settingValue } from '../secrets/sealed-columns.ts'
import { ProviderError } from './port/provider-errors.ts'
import type { Subscriptions } from './subscriptions.ts'
import { lookAt, type Reports, type SettleDeps } from './webhook-reports.ts'

const BATCH = 500
const LANES = 4
/**
 * BTCPay watches for coins for a day after an invoice has ended; the poll watches an hour longer.
 */
const WATCHED_MS = 25 * HOUR_MS
const KEY = 'payments-polled-at'

type PollDeps = SettleDeps &
  Pick<Deps, 'clock' | 'keyring' | 'log'> & {
    reports: Reports
    subscriptions: Pick<Subscriptions, 'endUseless'>
  }
type PaymentRow = typeof payments.$inferSelect

export type PaymentPoll = ReturnType<typeof createPaymentPoll>

/**
 * The second way to learn of money: asks the provider about every open payment, reported or not
 * (O5).
 */
export function createPaymentPoll(deps: PollDeps) {
  const { db, clock, keyring, provider, reports, subscriptions, log } = deps
  /**
   * Where the next batch begins, so that every payment has its turn when they do not fit into one
   * batch.
   */
  let after = 0

  /**
   * Returns false if the provider is unreachable or refuses our key: the others are then skipped.
   */
  const attempt = async (what: object, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      log.warn({ err: error, ...what }, 'the payment provider could not be asked')
      return error.fault !== 'unreachable' && error.fault !== 'refused'
    }
  }

  const nextBatch = async (): Promise<PaymentRow[]> => {
    const rows = await watched(deps, after)
    after = rows.length < BATCH ? 0 : (rows.at(-1)?.id ?? 0)
    return rows
  }

  return {
    async run(): Promise<void> {
      if (!provider.fetchState) return
      let isThere = true
      for (const id of await reports.waiting()) {
        isThere &&= await attempt({ reportId: id }, () => reports.handle(id))
      }
      if (!isThere) return
      const queue = (await nextBatch()).values()
      const lane = async () => {
        for (const payment of queue) {
          const { id: paymentId } = payment
          isThere = (await attempt({ paymentId }, () => lookAt(deps, payment))) && isThere
          if (!isThere) return
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
      isThere &&= await attempt({}, () => subscriptions.endUseless())
      if (isThere) await remember(deps, clock.now())
    },

    /** When the poll last asked for every open payment; undefined if it never has. */
    async lastAt(): Promise<Date | undefined> {
      const [row] = await db.select().from(settings).where(eq(settings.key, KEY))
      return row && new Date(keyring.open(settingValue(KEY), row.value))
    },
  }
}

/**
 * Payments that are open, that ended so recently that money may still arrive, or that are disputed.
 */
const watched = ({ db, clock, provider }: PollDeps, after: number): Promise<PaymentRow[]> => {
  const since = new Date(clock.now().getTime() - WATCHED_MS)
  const isOpen = inArray(payments.status, ['pending', 'confirming'])
  const hasEnded = inArray(payments.status, ['expired', 'failed'])
  const isDisputed = sql`exists (select 1 from ${disputes} where ${disputes.paymentId} = ${payments.id} and ${disputes.state} = 'open')`
  return db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.provider, provider.name),
        gt(payments.id, after),
        or(isOpen, and(hasEnded, gt(payments.expiresAt, since)), isDisputed),
      ),
    )
    .orderBy(asc(payments.id))
    .limit(BATCH)
}

async function remember({ db, keyring }: PollDeps, at: Date): Promise<void> {
  const value = keyring.seal(settingValue(KEY), at.toISOString())
  await db
    .insert(settings)
    .values({ key: KEY, value, updatedAt: at })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: at } })
}
