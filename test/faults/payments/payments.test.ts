import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startBtcpay } from '../../../src/server/payments/testing/btcpay-stand-in.ts'
import { startMonero } from '../../../src/server/payments/testing/monero/monero-stand-in.ts'
import { startStripe } from '../../../src/server/payments/testing/stripe-stand-in.ts'
import { openTill, REAL_MONEY } from '../../../src/server/payments/testing/till.ts'
import { byHand } from '../../../src/server/payments/testing/till-by-hand.ts'
import { type TestClock, testApp, testClock } from '../../../src/server/testing/test-app.ts'
import type { DatabaseKind } from '../../../src/server/testing/test-db.ts'
import { moneroSide } from './monero-acts.ts'
import { btcpaySide, type ProviderSide, stripeSide } from './payments-acts.ts'
import { beginSequence, WAY, type World } from './payments-sequence.ts'

const isLong = process.env.LONG === '1'
/** In the long run 20 000 sequences: three providers, two databases. */
const RUNS: Record<DatabaseKind, number> = {
  embedded: isLong ? 300 : 17,
  postgres: isLong ? 6400 : 25,
}
const DATABASES = ['embedded', 'postgres'] as const
const FIRST_DAY = new Date('2027-01-01T00:00:00.000Z')

/**
 * R5 and R6: whatever the provider, the wire and the clock do, the order is what the model says.
 */
function prove<Act extends string>(world: () => World<Act>, runs: number) {
  test(`an order is what the model says, in ${runs} sequences`, {
    timeout: 14_400_000,
  }, async () => {
    const { side } = world()
    const act = fc.constantFrom(...WAY, ...side.acts, ...side.acts)
    const steps = fc.array(fc.tuple(act, fc.nat(1000)), { minLength: 1, maxLength: 18 })
    const kind = fc.constantFrom('renewal' as const, 'purchase' as const, 'top-up' as const)
    const outcomes = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(kind, steps, async (which, sequence) => {
        const run = await beginSequence(world(), which)
        for (const [act, pick] of sequence) await run.step(act, pick)
        await run.end()
        const outcome = await run.audit()
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }),
      { numRuns: runs },
    )
    const { rows } = (await world().till.t.db.execute(
      sql`select posting from ledger group by posting having sum(amount_cents) <> 0`,
    )) as unknown as { rows: unknown[] }
    expect(rows).toEqual([])
    // Sequences with the same outcome would prove little.
    expect(outcomes.size).toBeGreaterThan(2)
  })
}

/** A till of this provider, and a second process on its database. */
async function openWorld<Act extends string>(
  stand: { env: { PAYMENT_PROVIDER: string } & Record<string, string> } & World<Act>['stand'],
  side: ProviderSide<Act>,
  { database, clock }: { database: DatabaseKind; clock: TestClock },
): Promise<World<Act>> {
  const till = await openTill(stand, { database, clock })
  const { t } = till
  const env = { ...stand.env, ...REAL_MONEY }
  const second = await testApp({ on: t.database, clock, env })
  const operator = await t.make.admin()
  return { stand, side, till, hand: byHand(till), clock, other: byHand({ t: second }), operator }
}

describe.each(DATABASES)('money by Stripe on %s', async (database) => {
  const clock = testClock(FIRST_DAY)
  const stand = await startStripe({ clock })
  afterAll(() => stand.close())
  const world = await openWorld(stand, stripeSide(stand), { database, clock })
  beforeEach(() => Object.assign(stand.faults, { isBusy: false }))
  prove(() => world, RUNS[database])
})

describe.each(DATABASES)('money by BTCPay on %s', async (database) => {
  const clock = testClock(FIRST_DAY)
  const stand = await startBtcpay({ clock })
  afterAll(() => stand.close())
  const world = await openWorld(stand, btcpaySide(stand), { database, clock })
  beforeEach(() => Object.assign(stand.faults, { isBusy: false }))
  prove(() => world, RUNS[database])
})

describe.each(DATABASES)('money by Monero on %s', async (database) => {
  const clock = testClock(FIRST_DAY)
  const stand = await startMonero({ clock })
  afterAll(() => stand.close())
  const silent = { ...stand, reports: [] }
  const world = await openWorld(silent, moneroSide(stand, clock), { database, clock })
  beforeEach(() => Object.assign(stand.faults, { isBusy: false }))
  prove(() => world, RUNS[database])
})
