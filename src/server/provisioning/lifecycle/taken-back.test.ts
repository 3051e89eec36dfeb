import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { handovers } from '../../db/schema/handovers.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { statement } from '../../ledger/statement.ts'
import { createParts } from '../../parts.ts'
import type { PaymentFacts } from '../../payments/port/payment-provider.ts'
import { startStripe } from '../../payments/testing/stripe-stand-in.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

const RUNS = process.env.LONG === '1' ? 300 : 20
const PRICE = 500
const clock = testClock()
const stripe = await startStripe({ clock })
afterAll(() => stripe.close())

describe.each(BOTH_DATABASES)('money that is taken back, on %s', async (database) => {
  const till = await openTill(stripe, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const operator = await t.make.admin()
  const { settlement } = createParts(t.deps)

  /** A paid renewal, and the end of its server before and after. */
  const renewed = async () => {
    const { client, token, order, payment } = await till.renewal()
    const id = payment.providerPaymentId
    await till.deliver(await stripe.pay(id))
    await hand.work()
    expect((await till.order(order.id)).status).toBe('active')
    const before = token.expiresAt?.getTime() ?? 0
    return { client, token, order, id, before, instanceId: token.assignedInstanceId ?? 0 }
  }
  const endOf = async (tokenId: number) => (await till.token(tokenId)).expiresAt?.getTime()
  const instance = async (id: number) => {
    const [row] = await t.db.select().from(instances).where(eq(instances.id, id))
    if (!row) throw new Error('no such instance')
    return row
  }
  const audited = async (orderId: number) =>
    (
      await t.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.target, `order:${orderId}`))
    ).map(({ action }) => action)
  const isBalanced = async () => (await statement(t.db)).isBalanced

  test('a refunded renewal shortens the term by its 30 days', async () => {
    const { token, order, id, before } = await renewed()
    expect(await endOf(token.id)).toBe(before + 30 * DAY_MS)
    await till.deliver(await stripe.sendBack(id, PRICE - 1))
    await hand.work()
    // A partial refund is goodwill and changes nothing.
    expect(await endOf(token.id)).toBe(before + 30 * DAY_MS)
    await till.deliver(await stripe.sendBack(id, 1))
    await hand.work()
    expect(await endOf(token.id)).toBe(before)
    expect(await till.order(order.id)).toMatchObject({ status: 'cancelled' })
    expect(await till.token(token.id)).toMatchObject({ status: 'assigned' })
    expect(await isBalanced()).toBe(true)
  })

  test('money that is taken back after the server was handed over still has its effect', async () => {
    const { client, token, order, id, before, instanceId } = await renewed()
    const { id: receiverId } = await t.make.client()
    await t.db.update(tokens).set({ assignedUserId: receiverId }).where(eq(tokens.id, token.id))
    await t.db.update(instances).set({ ownerId: receiverId }).where(eq(instances.id, instanceId))
    // Not handed over: the token was sold to another client meanwhile.
    await till.deliver(await stripe.dispute(id))
    await till.deliver(await stripe.loseDisputes(id))
    await hand.work()
    expect((await instance(instanceId)).suspendedAt).toBeNull()
    await till.deliver(await stripe.winDisputes(id))
    await hand.work()
    const given = { tokenId: token.id, instanceId, giverId: client.id }
    await t.db.insert(handovers).values({ ...given, at: clock.now(), loginSetAt: clock.now() })
    await till.deliver(await stripe.sendBack(id, PRICE))
    await hand.work()
    expect(await endOf(token.id)).toBe(before)
    expect(await till.order(order.id)).toMatchObject({ status: 'cancelled', userId: client.id })
    expect(await isBalanced()).toBe(true)
  })

  test('a dispute of the former owner, once lost, suspends the server that it handed over', async () => {
    const { client, token, id, instanceId } = await renewed()
    const { id: receiverId } = await t.make.client()
    await t.db.update(tokens).set({ assignedUserId: receiverId }).where(eq(tokens.id, token.id))
    await t.db.update(instances).set({ ownerId: receiverId }).where(eq(instances.id, instanceId))
    const given = { tokenId: token.id, instanceId, giverId: client.id }
    await t.db.insert(handovers).values({ ...given, at: clock.now(), loginSetAt: clock.now() })
    await till.deliver(await stripe.dispute(id))
    await till.deliver(await stripe.loseDisputes(id))
    await hand.work()
    expect(await instance(instanceId)).toMatchObject({
      suspendCause: 'dispute',
      suspendReason: 'The payment of its former owner was taken back.',
    })
    await till.deliver(await stripe.winDisputes(id))
    await hand.work()
    expect((await instance(instanceId)).suspendedAt).toBeNull()
  })

  test('a refund never ends a server in the past, so its grace period begins now', async () => {
    const { token, id, before } = await renewed()
    clock.set(new Date(before + 10 * DAY_MS))
    await till.deliver(await stripe.sendBack(id, PRICE))
    await hand.work()
    expect(await endOf(token.id)).toBe(before + 10 * DAY_MS)
  })

  test('a lost dispute suspends the server and informs operator and client, and a win restores it', async () => {
    const { client, token, order, id, instanceId } = await renewed()
    const waiting = async (kind: string) =>
      (await t.as(operator).call(api.dashboard.attention)).find((row) => row.kind === kind)
        ?.count ?? 0
    const disputed = async () =>
      (await t.as(operator).call(api.orders.list)).filter(({ isDisputed }) => isDisputed)
    await till.deliver(await stripe.dispute(id))
    await hand.work()
    expect(await waiting('disputed-payments')).toBe(1)
    expect(await disputed()).toMatchObject([{ id: order.id }])
    expect((await instance(instanceId)).suspendedAt).toBeNull()

    await till.deliver(await stripe.loseDisputes(id))
    await hand.work()
    expect(await instance(instanceId)).toMatchObject({
      suspendCause: 'dispute',
      suspendReason: `Your bank took back the payment for order ${order.id}.`,
    })
    expect(await waiting('disputed-payments')).toBe(0)
    expect(await disputed()).toEqual([])
    expect(await waiting('lost-disputes')).toBe(1)
    const shown = await t.as(client).call(api.client.tokens)
    expect(shown[0]?.suspended?.reason).toContain('Your bank took back')
    const stops = await t.db.select().from(jobs).where(eq(jobs.kind, 'stop'))
    expect(stops.some(({ input }) => (input as { tokenId: number }).tokenId === token.id)).toBe(
      true,
    )
    expect(await till.paymentOf(order.id)).toMatchObject({ status: 'refunded', lostCents: PRICE })
    expect(await isBalanced()).toBe(true)

    await till.deliver(await stripe.winDisputes(id))
    await hand.work()
    expect((await instance(instanceId)).suspendedAt).toBeNull()
    expect(await till.paymentOf(order.id)).toMatchObject({ status: 'paid', lostCents: 0 })
    expect(await waiting('lost-disputes')).toBe(0)
    expect(await audited(order.id)).toEqual(
      expect.arrayContaining(['order.dispute-open', 'order.dispute-lost', 'order.dispute-won']),
    )
    expect(await isBalanced()).toBe(true)
  })

  test('a won dispute does not lift a suspension by an operator', async () => {
    const { id, instanceId } = await renewed()
    const suspended = { suspendedAt: clock.now(), suspendReason: 'Spam.' }
    await t.db
      .update(instances)
      .set({ ...suspended, suspendCause: 'operator' })
      .where(eq(instances.id, instanceId))
    await stripe.dispute(id)
    await till.deliver(await stripe.loseDisputes(id))
    await hand.work()
    await till.deliver(await stripe.winDisputes(id))
    await hand.work()
    expect(await instance(instanceId)).toMatchObject({ suspendReason: 'Spam.' })
  })

  test('an order that is refunded before its server exists is not delivered', async () => {
    const token = await till.stock()
    const client = await t.make.client()
    const { order } = await t
      .as(client)
      .call(api.marketplace.purchase, { params: { tokenId: token.tokenId } })
    const payment = await till.paymentOf(order.id)
    await till.deliver(await stripe.pay(payment.providerPaymentId))
    await hand.work()
    expect((await till.order(order.id)).status).toBe('provisioning')
    await till.deliver(await stripe.sendBack(payment.providerPaymentId, PRICE))
    await hand.work()
    expect((await till.order(order.id)).status).toBe('cancelled')
    expect(await isBalanced()).toBe(true)
  })

  const EVENTS = ['refund a part', 'refund the rest', 'dispute', 'lose', 'win'] as const
  type Event = (typeof EVENTS)[number]

  /**
   * The facts a provider would report after each of these events in turn; impossible events are
   * skipped.
   */
  function history(events: readonly Event[]): PaymentFacts[] {
    let refundedCents = 0
    let dispute: { id: string; cents: number; state: 'open' | 'lost' | 'won' } | undefined
    const facts: PaymentFacts[] = []
    const say = () =>
      facts.push({
        state: refundedCents === PRICE ? 'refunded' : 'paid',
        receivedCents: PRICE,
        refundedCents,
        disputes: dispute ? [dispute] : [],
      })
    say()
    for (const event of events) {
      const canRefund = dispute === undefined || dispute.state === 'won'
      if (event === 'refund a part' && canRefund && refundedCents === 0) refundedCents = 200
      if (event === 'refund the rest' && canRefund) refundedCents = PRICE
      if (event === 'dispute' && !dispute && refundedCents < PRICE) {
        dispute = { id: '', cents: PRICE - refundedCents, state: 'open' }
      }
      if (event === 'lose' && dispute?.state === 'open') dispute = { ...dispute, state: 'lost' }
      if (event === 'win' && dispute && dispute.state !== 'won') {
        dispute = { ...dispute, state: 'won' }
      }
      say()
    }
    return facts
  }

  let number = 0
  /** The state that these facts lead to, applied in this order. */
  async function outcome(said: readonly PaymentFacts[], isParallel: boolean) {
    number += 1
    const { token, order, payment } = await till.renewal()
    const own = said.map((facts) => ({
      ...facts,
      disputes:
        facts.disputes?.map((dispute) => ({ ...dispute, id: `dp_${database}_${number}` })) ?? [],
    }))
    const tell = (facts: PaymentFacts) => settlement.settle(payment.id, facts)
    if (isParallel) await Promise.all(own.map(tell))
    else for (const facts of own) await tell(facts)
    const { receivedCents, refundedCents, lostCents, status } = await till.paymentOf(order.id)
    const later = await till.token(token.id)
    return {
      payment: { receivedCents, refundedCents, lostCents, status },
      order: (await till.order(order.id)).status,
      token: later.status,
      gained: (later.expiresAt?.getTime() ?? 0) - (token.expiresAt?.getTime() ?? 0),
      cause: (await instance(token.assignedInstanceId ?? 0)).suspendCause,
      isBalanced: await isBalanced(),
    }
  }

  test(`facts in any order, repeated and concurrent, lead to the same end, in ${RUNS} runs`, {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...EVENTS), { maxLength: 6 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        async (events, order, isParallel) => {
          const facts = history(events)
          const last = facts.at(-1)
          if (!last) return
          const repeated = [...facts, ...facts].map(
            (one, index) => [order[index % 12] ?? 0, one] as const,
          )
          const shuffled = repeated.toSorted(([a], [b]) => a - b).map(([, one]) => one)
          const expected = await outcome(facts, false)
          expect(await outcome(shuffled, isParallel)).toEqual(expected)
          // The expected state, derived from the last facts alone.
          const isLost = last.disputes?.[0]?.state === 'lost'
          const isAllRefunded = last.refundedCents === PRICE
          expect(expected).toMatchObject({
            order: isAllRefunded ? 'cancelled' : 'active',
            gained: isAllRefunded ? 0 : 30 * DAY_MS,
            cause: isLost ? 'dispute' : null,
            isBalanced: true,
          })
        },
      ),
      { numRuns: RUNS },
    )
  })
})
