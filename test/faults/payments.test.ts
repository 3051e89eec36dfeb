import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startBtcpay } from '../../src/server/payments/testing/btcpay-stand-in.ts'
import { startStripe } from '../../src/server/payments/testing/stripe-stand-in.ts'
import { openTill } from '../../src/server/payments/testing/till.ts'
import { byHand } from '../../src/server/payments/testing/till-by-hand.ts'
import { testClock } from '../../src/server/testing/test-app.ts'
import type { DatabaseKind } from '../../src/server/testing/test-db.ts'
import { btcpaySide, stripeSide } from './payments-acts.ts'
import { beginSequence, WAY, type World } from './payments-sequence.ts'

const isLong = process.env.LONG === '1'
const RUNS: Record<DatabaseKind, number> = {
  embedded: isLong ? 200 : 25,
  postgres: isLong ? 1000 : 35,
}
const DATABASES = ['embedded', 'postgres'] as const
const FIRST_DAY = new Date('2027-01-01T00:00:00.000Z')

/**
 * R5 and R6: whatever the provider, the wire and the clock do, the order is what the model says.
 */
function prove<Act extends string>(world: () => World<Act>, runs: number) {
  test(`an order is what the model says, in ${runs} sequences`, {
    timeout: 3_600_000,
  }, async () => {
    const { side } = world()
    const act = fc.constantFrom(...WAY, ...side.acts, ...side.acts)
    const steps = fc.array(fc.tuple(act, fc.nat(1000)), { minLength: 1, maxLength: 18 })
    const kind = fc.constantFrom('renewal' as const, 'purchase' as const)
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
    // Sequences with the same outcome would prove little.
    expect(outcomes.size).toBeGreaterThan(2)
  })
}

describe.each(DATABASES)('money by Stripe on %s', async (database) => {
  const clock = testClock(FIRST_DAY)
  const stand = await startStripe({ clock })
  afterAll(() => stand.close())
  const till = await openTill(stand, { database, clock })
  const world = { stand, side: stripeSide(stand), till, hand: byHand(till), clock }
  beforeEach(() => Object.assign(stand.faults, { isBusy: false }))
  prove(() => world, RUNS[database])
})

describe.each(DATABASES)('money by BTCPay on %s', async (database) => {
  const clock = testClock(FIRST_DAY)
  const stand = await startBtcpay({ clock })
  afterAll(() => stand.close())
  const till = await openTill(stand, { database, clock })
  const world = { stand, side: btcpaySide(stand), till, hand: byHand(till), clock }
  beforeEach(() => Object.assign(stand.faults, { isBusy: false }))
  prove(() => world, RUNS[database])
})
