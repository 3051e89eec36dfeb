import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { paymentLinks } from '../../db/schema/service-time.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import { statement } from '../../ledger/statement.ts'
import { startBtcpay } from '../../payments/testing/btcpay-stand-in.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const clock = testClock()
const btcpay = await startBtcpay({ clock })
afterAll(() => btcpay.close())

const NOT_FOUND = { status: 404, body: { message: 'Payment link not found' } }

describe.each(EACH_DATABASE)('a payment link, on %s', async (database) => {
  const stand = { env: { ...btcpay.env, PAYMENT_PROVIDER: 'btcpay,manual' } }
  const till = await openTill(stand, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const { visitor } = t
  const operator = t.as(await t.make.admin())

  const linked = async () => {
    const { client, token } = await till.tenant()
    const params = { id: token.id }
    const { url } = await t.as(client).call(api.paymentLinks.create, { params })
    const code = url.split('/').at(-1) ?? ''
    return {
      client,
      token,
      url,
      code,
      show: () => visitor.attempt(api.paymentLinks.show, { params: { code } }),
      pay: (body: { months?: 1 | 3 | 6 | 12; paymentMethod?: string }) =>
        visitor.attempt(api.paymentLinks.pay, { params: { code }, body }),
      end: async () => (await till.token(token.id)).expiresAt?.getTime(),
    }
  }
  const invoiceOf = async (tokenId: number) => {
    const [order] = await t.db.select().from(orders).where(eq(orders.tokenId, tokenId))
    return (await till.payments(order?.id ?? 0)).at(-1)?.providerPaymentId ?? ''
  }

  test('renews the server for whoever pays, and the owner sees it', async () => {
    const { client, token, code, url, show, pay, end } = await linked()
    expect(url).toBe(`https://vps.example/pay/${code}`)
    expect(code.length).toBeGreaterThanOrEqual(26)
    const { body: before } = await show()
    expect(before.offers.map(({ price }) => price)).toEqual(['5.00', '15.00', '30.00', '60.00'])
    expect(before.open).toBeNull()
    const paid = await pay({ paymentMethod: 'bitcoin' })
    expect(paid).toMatchObject({ status: 201, body: { checkoutUrl: `/pay/${code}` } })
    const { body } = await show()
    expect(body.open).toMatchObject({ months: 1, checkout: { due: '5.00', state: 'pending' } })
    expect(body.open?.checkout?.methods.length).toBeGreaterThan(0)
    const invoice = await invoiceOf(token.id)
    await btcpay.send(invoice, 500)
    await btcpay.confirm(invoice)
    await hand.poll()
    expect(await end()).toBe((token.expiresAt?.getTime() ?? 0) + 30 * DAY_MS)
    const { orders: mine } = await t.as(client).call(api.billing.overview)
    expect(mine).toMatchObject([{ kind: 'renewal', status: 'active' }])
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('shows a label, a plan, a date and a price, and nothing that names the client', async () => {
    const { client, token, show } = await linked()
    const { body } = await show()
    expect(Object.keys(body).toSorted()).toEqual([
      'currency',
      'label',
      'offers',
      'open',
      'paidUntil',
      'plan',
    ])
    const text = JSON.stringify(body)
    for (const secret of [client.username, token.ipAddress, token.tokenId, token.username]) {
      if (secret) expect(text).not.toContain(secret)
    }
  })

  test('never spends the credit of the owner', async () => {
    const { client, pay } = await linked()
    const topUp = await t.as(client).call(api.credit.topUp, {
      body: { amount: '20.00', paymentMethod: 'manual' },
    })
    await operator.call(api.orders.update, {
      params: { id: topUp.order.id },
      body: { status: 'paid' },
    })
    expect(await pay({ paymentMethod: 'credit' })).toMatchObject({ status: 400 })
    expect((await pay({ paymentMethod: 'bitcoin' })).status).toBe(201)
    expect(await creditOf(t.db, client.id)).toBe(2000)
  })

  test('asked twice, at once or later, it is one order', async () => {
    const { token, pay } = await linked()
    await Promise.all([pay({ paymentMethod: 'bitcoin' }), pay({ paymentMethod: 'bitcoin' })])
    await pay({ paymentMethod: 'bitcoin' })
    const made = await t.db.select().from(orders).where(eq(orders.tokenId, token.id))
    expect(made).toHaveLength(1)
  })

  test('other months replace an order, but not one whose money is on its way', async () => {
    const { token, pay, show } = await linked()
    await pay({ months: 1, paymentMethod: 'bitcoin' })
    await pay({ months: 3, paymentMethod: 'bitcoin' })
    expect((await show()).body.open).toMatchObject({ months: 3 })
    const rows = await t.db.select().from(orders).where(eq(orders.tokenId, token.id))
    const open = rows.find(({ status }) => status === 'pending')
    const [payment] = await till.payments(open?.id ?? 0)
    await btcpay.send(payment?.providerPaymentId ?? '', 1500)
    await hand.poll()
    expect(await pay({ months: 6, paymentMethod: 'bitcoin' })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/is being confirmed/) },
    })
    expect((await show()).body.open).toMatchObject({ months: 3 })
  })

  test('ends when it is revoked or replaced', async () => {
    const { client, token, show, pay } = await linked()
    const params = { id: token.id }
    const as = t.as(client)
    expect(await as.call(api.paymentLinks.get, { params })).toEqual({
      createdAt: clock.now().toISOString(),
    })
    const second = await as.call(api.paymentLinks.create, { params })
    expect(await show()).toMatchObject(NOT_FOUND)
    expect(await pay({})).toMatchObject(NOT_FOUND)
    const code = second.url.split('/').at(-1) ?? ''
    await as.call(api.paymentLinks.remove, { params })
    expect(await visitor.attempt(api.paymentLinks.show, { params: { code } })).toMatchObject(
      NOT_FOUND,
    )
    expect(await as.call(api.paymentLinks.get, { params })).toEqual({ createdAt: null })
    expect(await as.attempt(api.paymentLinks.remove, { params })).toMatchObject(NOT_FOUND)
  })

  test('ends with its server, and with its owner', async () => {
    const ended = await linked()
    await t.as(ended.client).call(api.client.cancel, { params: { id: ended.token.id } })
    expect(await ended.show()).toMatchObject(NOT_FOUND)
    const given = await linked()
    const taker = await t.make.client()
    await t.db.update(tokens).set({ assignedUserId: taker.id }).where(eq(tokens.id, given.token.id))
    expect(await given.show()).toMatchObject(NOT_FOUND)
    expect(await given.pay({})).toMatchObject(NOT_FOUND)
    const params = { id: given.token.id }
    expect(await t.as(taker).call(api.paymentLinks.get, { params })).toEqual({ createdAt: null })
  })

  test('is made, seen and revoked by the owner alone, and its code is not stored', async () => {
    const { token, code } = await linked()
    const stranger = t.as(await t.make.client())
    const params = { id: token.id }
    expect((await stranger.attempt(api.paymentLinks.create, { params })).status).toBe(404)
    expect((await stranger.attempt(api.paymentLinks.get, { params })).status).toBe(404)
    expect((await stranger.attempt(api.paymentLinks.remove, { params })).status).toBe(404)
    expect(JSON.stringify(await t.db.select().from(paymentLinks))).not.toContain(code)
  })

  test.each(['', 'x', '0'.repeat(27), '../../etc'])('%s is no link', async (code) => {
    const reply = await visitor.attempt(api.paymentLinks.show, { params: { code } })
    expect(reply.status).toBe(404)
  })
})
