import { desc, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { creditOf } from '../ledger/credit.ts'
import { statement } from '../ledger/statement.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { couponShop } from './testing/shop.ts'

describe.each(EACH_DATABASE)('an order with a coupon, on %s', async (database) => {
  const shop = await couponShop(database, 'manual')
  const { t, till, make, order, renew, preview, uses, setOrder, clock, packageId } = shop
  await shop.admin.call(api.payments.setDiscounts, { body: { 3: 5, 6: 10, 12: 20 } })
  const isBalanced = async () => (await statement(t.db)).isBalanced

  test('costs what the preview said, rounded to the favour of the client', async () => {
    const { code } = await make()
    const client = await t.make.client()
    expect(await preview(client, code)).toMatchObject({
      status: 200,
      body: { code, percent: 33, price: '9.99', discount: '3.30', total: '6.69' },
    })
    expect(await uses(code)).toMatchObject({ used: 0, reserved: 0 })
    const { status, body } = await order(client, code)
    expect(status).toBe(201)
    expect(body.order).toMatchObject({ amount: '6.69', discount: '3.30', coupon: code })
    const [payment] = await till.payments(body.order.id)
    expect(payment?.amountCents).toBe(669)
  })

  test('may be typed as people type', async () => {
    const { code } = await make({ code: 'OIL-10-SPRING' })
    const { body } = await order(await t.make.client(), ' oil 10 sprin g')
    expect(body.order.coupon).toBe(code)
  })

  test('reserves a use, which its payment uses for good', async () => {
    const { code } = await make()
    const { body } = await order(await t.make.client(), code)
    expect(await uses(code)).toMatchObject({ used: 0, reserved: 1 })
    await setOrder(body.order.id, { status: 'paid' })
    expect(await uses(code)).toMatchObject({ used: 1, reserved: 0 })
  })

  test('given up or lapsed gives its use back', async () => {
    const { code } = await make({ maxUses: 1 })
    const { client, token } = await till.tenant()
    await shop.make({ code: 'RENEWED', renewals: true, maxUses: 1 })
    const first = await order(client, code)
    expect(await order(await t.make.client(), code)).toMatchObject({ status: 422 })
    await t.as(client).call(api.billing.cancel, { params: { id: first.body.order.id } })
    expect(await uses(code)).toEqual({ used: 0, reserved: 0, state: 'on' })
    const renewal = await renew(client, token.id, { coupon: 'RENEWED' })
    expect(await uses('RENEWED')).toMatchObject({ reserved: 1, state: 'used up' })
    const id = renewal.body.order.id
    await t.db.update(orders).set({ payBy: clock.now() }).where(eq(orders.id, id))
    await shop.hand.lapse()
    expect((await till.order(id)).status).toBe('cancelled')
    expect(await uses('RENEWED')).toEqual({ used: 0, reserved: 0, state: 'on' })
  })

  test('that is cancelled before delivery gives back the use and what was paid, not the discount', async () => {
    const { code } = await make()
    const client = await t.make.client()
    const { body } = await order(client, code)
    await setOrder(body.order.id, { status: 'paid' })
    await setOrder(body.order.id, { status: 'cancelled', refund: 'credit' })
    expect(await creditOf(t.db, client.id)).toBe(669)
    expect(await uses(code)).toMatchObject({ used: 0, reserved: 0 })
    expect(await isBalanced()).toBe(true)
  })

  test('that was delivered keeps the use, also if its money goes back', async () => {
    const { code } = await make({ renewals: true, maxUses: 1 })
    const { client, token } = await till.tenant()
    const { body } = await renew(client, token.id, { coupon: code })
    await setOrder(body.order.id, { status: 'paid' })
    expect((await till.order(body.order.id)).status).toBe('active')
    await setOrder(body.order.id, { status: 'cancelled', refund: 'credit' })
    expect(await creditOf(t.db, client.id)).toBe(335)
    expect(await uses(code)).toMatchObject({ used: 1, state: 'used up' })
    expect(await isBalanced()).toBe(true)
  })

  test('takes the discount for several months first, then the coupon', async () => {
    const { code } = await make({ renewals: true, percent: 10 })
    const { client, token } = await till.tenant()
    const asked = await preview(client, code, { tokenId: token.id, months: 3 })
    // 15.00 less 5 % is 14.25, and 10 % of that less is 12.825.
    expect(asked.body).toMatchObject({ price: '14.25', discount: '1.43', total: '12.82' })
    const { body } = await renew(client, token.id, { coupon: code, months: 3 })
    expect(body.order).toMatchObject({ amount: '12.82', discount: '1.43', months: 3 })
    const before = (await till.token(token.id)).expiresAt?.getTime() ?? 0
    await setOrder(body.order.id, { status: 'paid' })
    expect((await till.token(token.id)).expiresAt?.getTime()).toBe(before + 90 * DAY_MS)
  })

  test('is continued by the same renewal, and gives way to another one', async () => {
    const { code } = await make({ renewals: true, maxUses: 1, maxPerAccount: 1 })
    const { client, token } = await till.tenant()
    const first = (await renew(client, token.id, { coupon: code })).body.order
    for (const again of [{ coupon: code.toLowerCase() }, {}]) {
      expect((await renew(client, token.id, again)).body.order.id).toBe(first.id)
    }
    const longer = await renew(client, token.id, { coupon: code, months: 6 })
    expect(longer).toMatchObject({ status: 201, body: { order: { coupon: code, months: 6 } } })
    expect((await till.order(first.id)).couponUse).toBe('returned')
    expect(await uses(code)).toMatchObject({ reserved: 1 })
  })

  test('does not make later terms cheaper', async () => {
    const { code } = await make({ percent: 50 })
    const client = await t.make.client()
    const { body } = await order(client, code)
    await setOrder(body.order.id, { status: 'paid' })
    const { tokenId } = await till.order(body.order.id)
    const [token] = await t.db
      .select()
      .from(tokens)
      .where(eq(tokens.id, tokenId ?? 0))
    expect(token?.monthlyPriceCents).toBe(999)
  })

  test('of a server in stock costs less, too', async () => {
    const { code } = await make({ amountOff: '1.50' })
    const token = await till.stock()
    const client = await t.make.client()
    expect((await preview(client, code, { tokenId: token.id })).body.total).toBe('3.50')
    const params = { tokenId: token.tokenId }
    const { order: made } = await t.as(client).call(api.marketplace.purchase, {
      params,
      body: { coupon: code },
    })
    expect(made).toMatchObject({ amount: '3.50', discount: '1.50' })
  })

  test('is told to its owner and to operators', async () => {
    const { code } = await make({ amountOff: '4.00' })
    const client = await t.make.client()
    const { id } = (await order(client, code)).body.order
    const told = { coupon: code, discount: '4.00', amount: '5.99' }
    const exported = await t.as(client).call(api.account.export)
    expect(exported.orders[0]).toMatchObject({ coupon: code, discountCents: 400 })
    const { order: shown } = await shop.admin.call(api.orders.details, { params: { id } })
    expect(shown).toMatchObject(told)
    expect((await t.as(client).call(api.billing.overview)).orders[0]).toMatchObject(told)
    const { payments } = await shop.admin.call(api.books.payments, { query: { q: String(id) } })
    expect(payments[0]).toMatchObject({ coupon: code, discount: '4.00', amount: '5.99' })
    await t.db.execute(`delete from users where id = ${client.id}`)
    expect(await till.order(id)).toMatchObject({ userId: null, coupon: code })
  })

  test('the same press again has one effect, also where it took the last use', async () => {
    const { code } = await make({ maxUses: 1 })
    const client = await t.make.client()
    const press = () =>
      t.as(client).send({
        method: 'POST',
        url: '/api/client/orders',
        headers: { 'idempotency-key': `press-${client.id}` },
        payload: { packageId, osType: 'Debian 12', coupon: code },
      })
    const [first, second] = [await press(), await press()]
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.body).toBe(first.body)
    const [last] = await t.db.select().from(orders).orderBy(desc(orders.id)).limit(1)
    expect(last?.id).toBe(first.json().order.id)
  })
})
