import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { keySpendings } from '../db/schema/ledger.ts'
import { orders } from '../db/schema/sales.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'
import { PLAN } from '../idempotency/testing/press.ts'
import { openTill } from '../payments/testing/till.ts'
import { type Person, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'

describe.each(EACH_DATABASE)('what an API key can spend in a day, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill(
    { env: { PAYMENT_PROVIDER: 'sandbox' } },
    { database, clock, withJobs: true },
  )
  const byHand = await openTill({ env: { PAYMENT_PROVIDER: 'manual' } }, { database, clock })
  const keyOf = async (who: Person, dailyLimit: string | undefined, { t } = till) =>
    await t.as(who).call(api.apiKeys.create, {
      body: { name: 'shop', scopes: ['billing:spend'], ...(dailyLimit && { dailyLimit }) },
    })
  const by = async (
    key: string,
    route: Route,
    params: Record<string, unknown>,
    { body, house = till }: { body?: object; house?: typeof till } = {},
  ) => {
    const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]))
    const reply = await house.t.app.inject({
      method: route.method,
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(body && { payload: body }),
    })
    return { status: reply.statusCode, body: reply.json() }
  }
  const buy = async (key: string, tokenId?: string) => {
    const token = tokenId ?? (await till.stock()).tokenId
    return await by(key, api.marketplace.purchase, { tokenId: token })
  }
  const ordersOf = ({ id }: Person) => till.t.db.$count(orders, eq(orders.userId, id))

  test('holds for every route that pays, and nothing of a refused one stays', async () => {
    const { client, token } = await till.tenant()
    const { key } = await keyOf(client, '0.01')
    const boss = till.t.as(await till.t.make.admin())
    const { id: packageId } = await boss.call(api.packages.create, { body: PLAN })
    const before = await ordersOf(client)
    const order = { packageId, osType: 'Debian 12' }
    const answers = [
      await buy(key),
      await by(key, api.client.renew, { id: token.id }, { body: {} }),
      await by(key, api.billing.order, {}, { body: order }),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'SPENDING_LIMIT'))
    expect(await ordersOf(client)).toBe(before)
    const ofKeys = Object.values(api)
      .flatMap((group) => Object.values<Route>(group))
      .filter(({ scope }) => scope === 'billing:spend')
      .map(({ path }) => path)
    // Of the others two pay nothing (trial, preview of a coupon), one is tried below (pay), one with the packages of a
    // server (package), three only cancel.
    expect(ofKeys.toSorted()).toEqual([
      '/api/client/coupons/preview',
      '/api/client/orders',
      '/api/client/orders/:id/cancel',
      '/api/client/orders/:id/pay',
      '/api/client/tokens/:id/cancel',
      '/api/client/tokens/:id/renew',
      '/api/instances/:id/package',
      '/api/instances/:id/package-change',
      '/api/marketplace/purchase/:tokenId',
      '/api/marketplace/trial/:tokenId',
    ])
  })

  test('is not exceeded by fifty purchases at once', async () => {
    const me = await till.t.make.client()
    const { key, id } = await keyOf(me, '20.00')
    const stock = await Promise.all(Array.from({ length: 50 }, () => till.stock()))
    const answers = await Promise.all(stock.map(({ tokenId }) => buy(key, tokenId)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(answers.length - refused.length).toBe(4)
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([409, 'SPENDING_LIMIT'])
    }
    const spent = await till.t.db.select().from(keySpendings).where(eq(keySpendings.keyId, id))
    expect(spent.map(({ amountCents }) => amountCents)).toEqual([500, 500, 500, 500])
    expect(await ordersOf(me)).toBe(4)
    const [shown] = await till.t.as(me).call(api.apiKeys.list)
    expect(shown).toMatchObject({ dailyLimit: '20.00', spentToday: '20.00' })
  })

  test('begins anew with the next day, and says how much is left of this one', async () => {
    const me = await till.t.make.client()
    const { key } = await keyOf(me, '7.50')
    expect((await buy(key)).status).toBe(201)
    const { body } = await buy(key)
    expect(body.message).toContain('$7.50 a day, and $5.00 is spent')
    clock.advance(DAY_MS)
    expect((await buy(key)).status).toBe(201)
    expect((await buy(key)).status).toBe(409)
  })

  test('is no limit of the account, nor of its other keys', async () => {
    const me = await till.t.make.client()
    const [small, large] = [await keyOf(me, '4.99'), await keyOf(me, undefined)]
    expect((await buy(small.key)).status).toBe(409)
    expect((await buy(large.key)).status).toBe(201)
    const params = { tokenId: (await till.stock()).tokenId }
    expect((await till.t.as(me).attempt(api.marketplace.purchase, { params })).status).toBe(201)
  })

  test('counts an order once, however often it is paid', async () => {
    const { client, token } = await byHand.tenant()
    const [key, other] = [await keyOf(client, '5.00', byHand), await keyOf(client, '4.99', byHand)]
    const house = byHand
    const renewed = await by(key.key, api.client.renew, { id: token.id }, { body: {}, house })
    expect(renewed.status).toBe(201)
    const params = { id: renewed.body.order.id }
    const again = await by(key.key, api.billing.pay, params, { body: {}, house })
    expect(again.status).toBe(200)
    const refused = await by(other.key, api.billing.pay, params, { body: {}, house })
    expect(refused.body.code).toBe('SPENDING_LIMIT')
    const [shown] = await byHand.t.as(client).call(api.apiKeys.list)
    expect(shown).toMatchObject({ spentToday: '5.00' })
  })

  test('is nothing once the key is revoked', async () => {
    const me = await till.t.make.client()
    const { key, id } = await keyOf(me, '20.00')
    await buy(key)
    await till.t.as(me).call(api.apiKeys.revoke, { params: { id } })
    expect((await buy(key)).status).toBe(401)
    expect(await till.t.db.$count(keySpendings, eq(keySpendings.keyId, id))).toBe(0)
    expect(await till.t.db.$count(apiKeys, eq(apiKeys.id, id))).toBe(0)
    expect(await ordersOf(me)).toBe(1)
  })
})
