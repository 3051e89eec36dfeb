import { and, asc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { settings } from '../db/schema/accounts.ts'
import { disputes, payments } from '../db/schema/sales.ts'
import type { Deps } from '../runtime/deps.ts'
import { settingValue } from '../secrets/sealed-columns.ts'
import { ProviderError } from './port/provider-errors.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Ways } from './ways/ways.ts'
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
    ways: Pick<Ways, 'lookForReturns'>
  }
type PaymentRow = typeof payments.$inferSelect

export type PaymentPoll = ReturnType<typeof createPaymentPoll>

/**
 * The second way to learn of money: asks each provider about every open payment, reported or not
 * (O5). One that is away holds up no other.
 */
export function createPaymentPoll(deps: PollDeps) {
  const { db, clock, keyring, providers, ways, reports, subscriptions, log } = deps
  /**
   * Where the next batch of each provider begins, so that every payment has its turn when they do
   * not fit into one batch.
   */
  const after = new Map<string, number>()

  /**
   * Returns false if the provider is unreachable or refuses our key: the rest of it is then skipped.
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

  /** Also those that are over, where money came to them lately. */
  const nextBatch = async (provider: string): Promise<PaymentRow[]> => {
    const recent = (await (await providers.now(db)).named(provider)?.recent?.()) ?? []
    const rows = await watched(deps, provider, { after: after.get(provider) ?? 0, recent })
    after.set(provider, rows.length < BATCH ? 0 : (rows.at(-1)?.id ?? 0))
    return rows
  }

  /** Returns whether the provider was there to the end. */
  const askFor = async (provider: string, reportIds: readonly number[]): Promise<boolean> => {
    let isThere = true
    for (const id of reportIds) {
      isThere &&= await attempt({ reportId: id }, () => reports.handle(id))
    }
    if (!isThere) return false
    let batch: PaymentRow[] = []
    isThere = await attempt({ provider }, async () => {
      batch = await nextBatch(provider)
    })
    return isThere && (await lookAtAll(batch))
  }

  /** Returns whether the provider was there to the end. */
  const lookAtAll = async (batch: readonly PaymentRow[]): Promise<boolean> => {
    let isThere = true
    const queue = batch.values()
    const lane = async () => {
      for (const payment of queue) {
        const { id: paymentId } = payment
        isThere = (await attempt({ paymentId }, () => lookAt(deps, payment))) && isThere
        if (!isThere) return
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return isThere
  }

  return {
    /** Between the polls: what is open at providers that cannot report. */
    async watch(): Promise<void> {
      const { all } = await providers.now(db)
      const watching = all.filter(({ isWatchedClosely }) => isWatchedClosely)
      for (const { name } of watching) await lookAtAll(await openAt(deps, name))
    },

    async run(): Promise<void> {
      const waiting = await reports.waiting()
      const { all } = await providers.now(db)
      const asked = all.filter(({ fetchState }) => fetchState)
      const outcomes = await Promise.all(
        asked.map(async ({ name }) => {
          const ids = waiting.filter(({ provider }) => provider === name).map(({ id }) => id)
          const isThere = await askFor(name, ids)
          if (!isThere || name !== 'stripe') return isThere
          return await attempt({}, () => subscriptions.endUseless())
        }),
      )
      await ways.lookForReturns()
      if (outcomes.length > 0 && outcomes.every(Boolean)) await remember(deps, clock.now())
    },

    /** When the poll last asked for every open payment; undefined if it never has. */
    async lastAt(): Promise<Date | undefined> {
      const [row] = await db.select().from(settings).where(eq(settings.key, KEY))
      return row && new Date(keyring.open(settingValue(KEY), row.value))
    },
  }
}

const IS_OPEN = inArray(payments.status, ['pending', 'confirming'])

const openAt = ({ db }: PollDeps, provider: string): Promise<PaymentRow[]> =>
  db
    .select()
    .from(payments)
    .where(and(eq(payments.provider, provider), IS_OPEN))
    .orderBy(asc(payments.id))
    .limit(BATCH)

/** Open, ended so recently that money may still arrive, or disputed. */
export function isWatched(now: Date): SQL | undefined {
  const since = new Date(now.getTime() - WATCHED_MS)
  const hasEnded = inArray(payments.status, ['expired', 'failed'])
  const isDisputed = sql`exists (select 1 from ${disputes} where ${disputes.paymentId} = ${payments.id} and ${disputes.state} = 'open')`
  return or(IS_OPEN, and(hasEnded, gt(payments.expiresAt, since)), isDisputed)
}

const watched = (
  { db, clock }: PollDeps,
  provider: string,
  { after, recent }: { after: number; recent: readonly string[] },
): Promise<PaymentRow[]> =>
  db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.provider, provider),
        or(
          and(gt(payments.id, after), isWatched(clock.now())),
          inArray(payments.providerPaymentId, [...recent]),
        ),
      ),
    )
    .orderBy(asc(payments.id))
    .limit(BATCH)

async function remember({ db, keyring }: PollDeps, at: Date): Promise<void> {
  const value = keyring.seal(settingValue(KEY), at.toISOString())
  await db
    .insert(settings)
    .values({ key: KEY, value, updatedAt: at })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: at } })
}
