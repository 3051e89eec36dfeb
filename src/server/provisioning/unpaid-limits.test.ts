import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { openTill } from '../payments/testing/till.ts'
import { byHand } from '../payments/testing/till-by-hand.ts'
import { testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'

const manual = { env: { PAYMENT_PROVIDER: 'manual', UNPAID_NETWORK_LIMIT: '3' } }
const SMALL = { name: 'Small', cpu: '1 CPU', ram: '1 GB RAM', storage: '1 GB SSD', price: 6 }
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe.each(EACH_DATABASE)('unpaid orders, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill(manual, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const boss = await t.make.admin()
  const { id: packageId } = await t.as(boss).call(api.packages.create, {
    body: { ...SMALL, osOptions: ['Debian 12'] },
  })

  type Client = Awaited<ReturnType<typeof t.make.client>>
  /** Reserves a new token; from the loopback by default. */
  const reserve = async (client: Client, remoteAddress = '127.0.0.1') => {
    const { tokenId } = await till.stock()
    const url = `/api/marketplace/purchase/${tokenId}`
    const ask = () => t.as(client).send({ method: 'POST', url, remoteAddress })
    let reply = await ask()
    // A busy machine may have no free connection: retries, as a page would.
    while (reply.statusCode === 503) reply = await ask()
    const { 'retry-after': retryAfter } = reply.headers
    return { status: reply.statusCode, retryAfter, body: reply.json() as Record<string, unknown> }
  }
  const orderPlan = (client: Client) =>
    t.as(client).attempt(api.billing.order, { body: { packageId, osType: 'Debian 12' } })
  const open = async ({ id }: Client) =>
    (await t.db.select().from(orders).where(eq(orders.userId, id))).filter(
      ({ status }) => status === 'pending',
    )
  const lapse = async () => {
    clock.advance(31 * MINUTE_MS)
    await hand.lapse()
  }

  test('of twenty concurrent reservations by one account exactly two are made', async () => {
    const client = await t.make.client()
    const answers = await Promise.all(times(20, () => reserve(client)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(18)
    const mine = (await open(client)).map(({ id, planName }) => ({ id, planName }))
    expect(mine).toHaveLength(2)
    for (const { body } of refused) {
      expect(body).toMatchObject({
        code: 'UNPAID_LIMIT',
        message: 'Pay or cancel one of your 2 open orders first.',
      })
    }
    const held = await t.db.select().from(tokens).where(eq(tokens.assignedUserId, client.id))
    expect(held).toHaveLength(2)
    const last = await reserve(client)
    expect(last.body.details).toEqual({ orders: mine })
  })

  test('packages and tokens count together, and cancelling one frees its place', async () => {
    const client = await t.make.client()
    expect((await orderPlan(client)).status).toBe(201)
    const second = await reserve(client)
    expect(second.status).toBe(201)
    expect(await orderPlan(client)).toMatchObject({ status: 409, body: { code: 'UNPAID_LIMIT' } })
    const [first] = await open(client)
    await t.as(client).call(api.billing.cancel, { params: { id: first?.id ?? 0 } })
    expect((await orderPlan(client)).status).toBe(201)
  })

  test('a paid order no longer counts, and an open renewal never does', async () => {
    const { client } = await till.renewal()
    const reserved = [await reserve(client), await reserve(client)]
    expect(reserved.map(({ status }) => status)).toEqual([201, 201])
    const order = (await open(client)).find(({ kind }) => kind === 'purchase')
    await t
      .as(boss)
      .call(api.orders.update, { params: { id: order?.id ?? 0 }, body: { status: 'paid' } })
    expect((await reserve(client)).status).toBe(201)
  })

  test('each lapse makes the next reservation wait longer, until one is paid', async () => {
    const client = await t.make.client()
    const waits: number[] = []
    for (const _ of times(3, () => 0)) {
      expect((await reserve(client)).status).toBe(201)
      await lapse()
      const early = await reserve(client)
      expect(early).toMatchObject({ status: 429, body: { code: 'UNPAID_WAIT' } })
      waits.push(Number(early.retryAfter) / 60)
      clock.advance(Number(early.retryAfter) * 1000)
    }
    expect(waits).toEqual([1, 5, 15])
    expect((await reserve(client)).status).toBe(201)
    const [order] = await open(client)
    await t
      .as(boss)
      .call(api.orders.update, { params: { id: order?.id ?? 0 }, body: { status: 'paid' } })
    expect((await reserve(client)).status).toBe(201)
    await lapse()
    const again = await reserve(client)
    expect(again.body.message).toBe(
      'Your last order was not paid in time. You can order again in 1 minute.',
    )
  })

  test('a lapse is forgotten after a day', async () => {
    const client = await t.make.client()
    for (const _ of times(2, () => 0)) {
      expect((await reserve(client)).status).toBe(201)
      clock.advance(DAY_MS)
      await hand.lapse()
      expect((await reserve(client)).retryAfter).toBe('60')
      clock.advance(MINUTE_MS)
    }
  })

  test('cancelling at once costs no wait, cancelling after a while counts as a lapse', async () => {
    const client = await t.make.client()
    const cancel = async () => {
      const [order] = await open(client)
      await t.as(client).call(api.billing.cancel, { params: { id: order?.id ?? 0 } })
    }
    await reserve(client)
    clock.advance(5 * MINUTE_MS - 1)
    await cancel()
    expect((await reserve(client)).status).toBe(201)
    clock.advance(5 * MINUTE_MS)
    await cancel()
    expect((await reserve(client)).status).toBe(429)
  })

  test('accounts of one network together reserve no more than its limit', async () => {
    const clients = await Promise.all(times(8, () => t.make.client()))
    const answers = await Promise.all(
      clients.map((client, index) => reserve(client, `2001:db8:1:${index + 1}::1`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'UNPAID_LIMIT' } })
      expect(answer.body).not.toHaveProperty('details')
    }
    const elsewhere = await reserve(await t.make.client(), '2001:db8:ffff:2::1')
    expect(elsewhere.status).toBe(201)
  })

  test('the network of an order is kept as a hash, and only until it is paid or over', async () => {
    const client = await t.make.client()
    await reserve(client, '192.0.2.77')
    const [order] = await open(client)
    expect(order?.network).toEqual(expect.any(String))
    expect(JSON.stringify(order)).not.toContain('192.0.2')
    await lapse()
    expect((await till.order(order?.id ?? 0)).network).toBeNull()
  })

  test('clients who share the loopback, as over an onion address, are not counted as one', async () => {
    const clients = await Promise.all(times(5, () => t.make.client()))
    const answers = await Promise.all(clients.map((client) => reserve(client)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  })

  test('a second tab is led to the order of the first, and every other client reads that it is taken', async () => {
    const client = await t.make.client()
    const { tokenId } = await till.stock()
    const buy = (who: Client) =>
      t.as(who).attempt(api.marketplace.purchase, { params: { tokenId } })
    const tabs = await Promise.all([buy(client), buy(client)])
    const [order] = await open(client)
    expect(tabs.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const told = {
      code: 'TOKEN_YOURS',
      message: 'You have already reserved this server. Pay your order to get it.',
      details: { orderId: order?.id },
    }
    expect(tabs.find(({ status }) => status === 409)?.body).toEqual(told)
    expect((await buy(client)).body).toEqual(told)
    expect((await buy(await t.make.client())).body.code).toBe('TOKEN_TAKEN')
  })
})

test('a limit of 0 turns limits and waits off', async () => {
  const clock = testClock()
  const off = { PAYMENT_PROVIDER: 'manual', UNPAID_LIMIT: '0', UNPAID_NETWORK_LIMIT: '0' }
  const till = await openTill({ env: off }, { clock })
  const client = await till.t.make.client()
  const reserve = async () => {
    const { tokenId } = await till.stock()
    return (await till.t.as(client).attempt(api.marketplace.purchase, { params: { tokenId } }))
      .status
  }
  expect([await reserve(), await reserve(), await reserve()]).toEqual([201, 201, 201])
  clock.advance(31 * MINUTE_MS)
  await byHand(till).lapse()
  expect(await reserve()).toBe(201)
})
