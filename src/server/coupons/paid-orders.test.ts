import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { keySpendings, ledger } from '../db/schema/ledger.ts'
import { statement } from '../ledger/statement.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { couponShop, OS } from './testing/shop.ts'

describe.each(EACH_DATABASE)('money and coupons, on %s', async (database) => {
  const shop = await couponShop(database, 'sandbox')
  const { t, till, make, order, renew, uses, packageId } = shop
  const entriesOf = (orderId: number) =>
    t.db.select().from(ledger).where(eq(ledger.orderId, orderId))

  test('a paid order is in the ledger with what was paid, and nothing else', async () => {
    const { code } = await make({ renewals: true })
    const { client, token } = await till.tenant()
    const { id } = (await renew(client, token.id, { coupon: code })).body.order
    expect((await till.order(id)).status).toBe('active')
    const entries = await entriesOf(id)
    expect(new Set(entries.map(({ amountCents }) => Math.abs(amountCents)))).toEqual(new Set([335]))
    expect((await statement(t.db)).isBalanced).toBe(true)
    const { receipts } = await t.as(client).call(api.billing.details, { params: { id } })
    expect(receipts).toMatchObject([{ amount: '3.35', coupon: { code, discount: '1.65' } }])
  })

  test('the ledger as a table names the coupon once for each order', async () => {
    const { code } = await make({ renewals: true })
    const { client, token } = await till.tenant()
    const { id } = (await renew(client, token.id, { coupon: code })).body.order
    const table = await shop.admin.send({ method: 'GET', url: '/api/ledger.csv' })
    const lines = table.body.split('\r\n').filter((line) => line.split(',')[5] === String(id))
    expect(lines).toHaveLength(4)
    expect(lines.filter((line) => line.endsWith(`,${code},1.65`))).toHaveLength(1)
    expect(lines.filter((line) => line.endsWith(',,'))).toHaveLength(3)
  })

  test('an order that costs nothing is delivered without any provider', async () => {
    const { code } = await make({ percent: 100, maxUses: 1, renewals: true })
    const { client, token } = await till.tenant()
    const before = (await till.token(token.id)).expiresAt?.getTime() ?? 0
    const { status, body } = await renew(client, token.id, { coupon: code })
    expect(status).toBe(201)
    expect(body.checkoutUrl).toBeUndefined()
    expect(body.order).toMatchObject({ amount: '0.00', discount: '5.00', status: 'active' })
    expect((await till.token(token.id)).expiresAt?.getTime()).toBeGreaterThan(before)
    expect(await till.payments(body.order.id)).toEqual([])
    expect(await entriesOf(body.order.id)).toEqual([])
    expect(await uses(code)).toEqual({ used: 1, reserved: 0, state: 'used up' })
  })

  test('a free order of a package is not a free trial: it is renewed at the full price', async () => {
    const { code } = await make({ amountOff: '50.00', maxUses: 1 })
    const client = await t.make.client()
    const { body } = await order(client, code)
    expect(body.order).toMatchObject({ amount: '0.00', discount: '9.99' })
    const { tokenId, status } = await till.order(body.order.id)
    expect(status).toBe('provisioning')
    expect((await till.token(tokenId ?? 0)).monthlyPriceCents).toBe(999)
  })

  test('what is free anyway does not use a coupon up', async () => {
    const { code } = await make({ maxUses: 1 })
    const free = { ...FREE, osOptions: [OS] }
    const { id } = await shop.admin.call(api.packages.create, { body: free })
    const client = await t.make.client()
    expect((await shop.preview(client, code, { packageId: id })).status).toBe(422)
    const body = { packageId: id, osType: OS, coupon: code }
    expect((await t.as(client).attempt(api.billing.order, { body })).status).toBe(422)
    expect(await uses(code)).toMatchObject({ used: 0, reserved: 0 })
  })

  test('credit pays what the coupon leaves', async () => {
    const { code } = await make({ renewals: true, percent: 50 })
    const { client, token } = await till.tenant()
    await t
      .as(client)
      .call(api.credit.topUp, { body: { amount: '5.00', paymentMethod: 'sandbox' } })
    const { body } = await renew(client, token.id, { coupon: code })
    expect(body.order).toMatchObject({ amount: '2.50', credit: '2.50', status: 'active' })
    expect((await t.as(client).call(api.billing.overview)).credit).toBe('2.50')
  })

  test('the daily limit of a key counts the lower price', async () => {
    const { code } = await make()
    const client = await t.make.client()
    const made = await t.as(client).call(api.apiKeys.create, {
      body: { name: 'shop', scopes: ['billing:spend'], dailyLimit: '7.00' },
    })
    const ask = async (payload: object, url = '/api/client/orders') => {
      const headers = { authorization: `Bearer ${made.key}` }
      const reply = await t.app.inject({ method: 'POST', url, headers, payload })
      return { status: reply.statusCode, body: reply.json() }
    }
    const plain = { packageId, osType: OS }
    expect(await ask(plain)).toMatchObject({ status: 409, body: { code: 'SPENDING_LIMIT' } })
    const preview = await ask({ code, packageId }, '/api/client/coupons/preview')
    expect(preview).toMatchObject({ status: 200, body: { total: '6.69' } })
    expect((await ask({ ...plain, coupon: code })).status).toBe(201)
    const spent = await t.db.select().from(keySpendings).where(eq(keySpendings.keyId, made.id))
    expect(spent.map(({ amountCents }) => amountCents)).toEqual([669])
  })
})

const FREE = { name: 'Gift', cpu: '1 CPU', ram: '1 GB RAM', storage: '1 GB SSD', price: 0 }
