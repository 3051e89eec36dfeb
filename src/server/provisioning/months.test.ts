import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { tokens } from '../db/schema/stock.ts'
import { creditOf } from '../ledger/credit.ts'
import { statement } from '../ledger/statement.ts'
import { openTill } from '../payments/testing/till.ts'
import { byHand } from '../payments/testing/till-by-hand.ts'
import { testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'

describe.each(EACH_DATABASE)('several months at once, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill({ env: { PAYMENT_PROVIDER: 'manual' } }, { database, clock })
  const { t } = till
  byHand(till)
  const operator = t.as(await t.make.admin())
  const discounts = { 3: 5, 6: 10, 12: 20 }
  await operator.call(api.payments.setDiscounts, { body: discounts })

  const renew = async (months?: 1 | 3 | 6 | 12) => {
    const { client, token } = await till.tenant()
    const body = months === undefined ? {} : { months }
    const { order } = await t.as(client).call(api.client.renew, { params: { id: token.id }, body })
    const end = async () => (await till.token(token.id)).expiresAt?.getTime()
    return { client, token, order, end, before: token.expiresAt?.getTime() ?? 0 }
  }
  const update = (id: number, body: { status: 'paid' | 'cancelled'; refund?: 'credit' }) =>
    operator.call(api.orders.update, { params: { id }, body })

  test.each([
    [undefined, '5.00', 30],
    [1, '5.00', 30],
    [3, '14.25', 90],
    [6, '27.00', 180],
    [12, '48.00', 360],
  ] as const)('%s months cost %s and last %s days', async (months, amount, days) => {
    const { order, before, end } = await renew(months)
    expect(order).toMatchObject({ amount, months: months ?? 1, status: 'pending' })
    await update(order.id, { status: 'paid' })
    expect(await end()).toBe(before + days * DAY_MS)
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('a refund takes all of its months back', async () => {
    const { client, order, before, end } = await renew(6)
    await update(order.id, { status: 'paid' })
    await update(order.id, { status: 'cancelled', refund: 'credit' })
    expect(await end()).toBe(before)
    expect(await creditOf(t.db, client.id)).toBe(2700)
  })

  test('another number of months is another order, and the first is given up', async () => {
    const { client, token, order } = await renew(3)
    const params = { id: token.id }
    const as = t.as(client)
    expect((await as.call(api.client.renew, { params, body: { months: 3 } })).order.id).toBe(
      order.id,
    )
    const other = (await as.call(api.client.renew, { params, body: { months: 12 } })).order
    expect(other).toMatchObject({ amount: '48.00', months: 12 })
    expect((await till.order(order.id)).status).toBe('cancelled')
  })

  test('nobody pays further than two years ahead', async () => {
    const { client, token } = await till.tenant()
    const expiresAt = new Date(clock.now().getTime() + 700 * DAY_MS)
    await t.db.update(tokens).set({ expiresAt }).where(eq(tokens.id, token.id))
    const ask = (months: 1 | 3) =>
      t.as(client).attempt(api.client.renew, { params: { id: token.id }, body: { months } })
    expect(await ask(3)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/Choose fewer months/) },
    })
    expect((await ask(1)).status).toBe(201)
  })

  test.each([0, 2, 24, -1, 1.5, '3'])('%s months are refused', async (months) => {
    const { client, token } = await till.tenant()
    const reply = await t.as(client).attempt(api.client.renew, {
      params: { id: token.id },
      body: { months: months as 1 },
    })
    expect(reply).toMatchObject({
      status: 400,
      body: { message: 'Please choose 1, 3, 6 or 12 months' },
    })
  })

  test('the client sees the discounts before paying, and the operator keeps them in bounds', async () => {
    const { client } = await till.tenant()
    expect((await t.as(client).call(api.billing.overview)).discounts).toEqual([
      { months: 1, percent: 0 },
      { months: 3, percent: 5 },
      { months: 6, percent: 10 },
      { months: 12, percent: 20 },
    ])
    for (const wrong of [-1, 91, 1.5]) {
      const body = { ...discounts, 3: wrong }
      expect((await operator.attempt(api.payments.setDiscounts, { body })).status).toBe(400)
    }
    expect(await operator.call(api.payments.discounts)).toEqual(discounts)
  })
})
