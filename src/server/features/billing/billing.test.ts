import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { statement } from '../../ledger/statement.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp, testClock } from '../../testing/test-app.ts'

const DAY = 86_400_000
const SMALL = { name: 'Small', cpu: '1 CPU', ram: '1 GB RAM', storage: '20 GB SSD', price: 6 }

describe('a client and its money', async () => {
  const clock = testClock()
  const t = await testApp({ sim: true, withJobs: true, clock })
  const shop = await openShop(t)
  const plan = (values: Record<string, unknown> = {}) =>
    shop.admin.call(api.packages.create, {
      body: { ...SMALL, osOptions: ['Debian 12', 'Plan 9'], ...values },
    })
  const client = async () => t.as(await t.make.client())
  const order = (who: Awaited<ReturnType<typeof client>>, packageId: string, osType: string) =>
    who.attempt(api.billing.order, { body: { packageId, osType } })

  test('a package becomes a server of the client', async () => {
    const buyer = await client()
    const { id } = await plan()
    const reply = await order(buyer, id, 'Debian 12')
    expect(reply).toMatchObject({
      status: 201,
      body: { order: { kind: 'package', status: 'provisioning', amount: '6.00' } },
    })
    const row = await shop.orderRow(reply.body.order.id)
    expect(await shop.ended(row.jobId ?? undefined)).toMatchObject({ state: 'done' })
    const [token] = await buyer.call(api.client.tokens)
    expect(token).toMatchObject({
      name: 'Small, 1 CPU, 1 GB RAM, 20 GB SSD',
      osType: 'Debian 12',
      username: 'debian',
      monthlyPrice: '6.00',
      durationDays: 30,
      status: 'assigned',
    })
    expect(token?.password.length).toBeGreaterThan(15)
    const params = { id: reply.body.order.id }
    const [server] = await buyer.call(api.client.instances)
    expect(await buyer.call(api.billing.details, { params })).toMatchObject({
      order: { status: 'active', assignedVmId: token?.proxmoxVmId },
      serverId: server?.id,
      jobId: row.jobId,
      payments: [{ provider: 'sandbox', received: '6.00' }],
      timeline: [
        { action: 'order.create', by: 'you' },
        { action: 'order.paid', by: 'system' },
        { action: 'token.assign' },
      ],
      checkout: null,
    })
  })

  test('a token in stock that matches exactly is used first', async () => {
    const name = 'In stock, 1 CPU, 1 GB RAM, 20 GB SSD'
    const stock = await shop.token({ name, monthlyPrice: '6.00' })
    const { id } = await plan()
    const reply = await order(await client(), id, 'Debian 12')
    expect(await shop.orderRow(reply.body.order.id)).toMatchObject({ tokenId: stock.id })
  })

  test('an order that cannot be delivered automatically waits for the admin, paid', async () => {
    const { id } = await plan()
    const reply = await order(await client(), id, 'Plan 9')
    expect(reply.body.order).toMatchObject({
      status: 'paid',
      failure: 'Your server is being prepared by hand. You do not have to do anything.',
    })
  })

  test('a package that no node has capacity for is shown as sold out', async () => {
    const { id } = await plan({ name: 'Giant', ram: '900 GB' })
    const shown = await t.visitor.call(api.packages.public)
    expect(shown.find((one) => one.id === id)).toMatchObject({ soldOut: true })
    expect(await order(await client(), id, 'Debian 12')).toMatchObject({
      status: 409,
      body: { code: 'SOLD_OUT' },
    })
  })

  test('only packages on sale can be ordered, with a system they offer, and a trial once', async () => {
    const buyer = await client()
    const { id } = await plan({ name: 'Trial', price: 1 })
    expect(await order(buyer, id, 'TempleOS')).toMatchObject({ status: 400 })
    expect(await order(buyer, 'no-such-plan', 'Debian 12')).toMatchObject({ status: 404 })
    const replies = await Promise.all([
      order(buyer, id, 'Debian 12'),
      order(buyer, id, 'Debian 12'),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('TRIAL_USED')
    const won = replies.find(({ status }) => status === 201)
    const row = await shop.orderRow(won?.body.order.id ?? 0)
    await shop.ended(row.jobId ?? undefined)
    const [token] = await buyer.call(api.client.tokens)
    expect(token).toMatchObject({ durationDays: 7 })
  })

  test('a server that ends within a week is due, and renewing it is on the bill', async () => {
    const user = await t.make.client()
    const { id } = await plan()
    const reply = await order(t.as(user), id, 'Debian 12')
    await shop.ended((await shop.orderRow(reply.body.order.id)).jobId ?? undefined)
    expect((await t.as(user).call(api.billing.overview)).due).toEqual([])
    clock.advance(24 * DAY)
    await t.deps.sync.now(t.cluster.id)
    const buyer = t.as(user)
    const { due } = await buyer.call(api.billing.overview)
    expect(due).toMatchObject([{ amount: '6.00', name: 'Small, 1 CPU, 1 GB RAM, 20 GB SSD' }])
    const params = { id: due[0]?.tokenId ?? 0 }
    const renewed = await buyer.call(api.client.renew, { params })
    expect(renewed.order).toMatchObject({ kind: 'renewal', status: 'active' })
    expect(await buyer.call(api.billing.overview)).toMatchObject({
      due: [],
      orders: [{ kind: 'renewal' }, { kind: 'package' }],
      payments: [{ received: '6.00' }, { received: '6.00' }],
    })
  })

  test('somebody else’s order is not found', async () => {
    const { id } = await plan()
    const reply = await order(await client(), id, 'Plan 9')
    const params = { id: reply.body.order.id }
    const stranger = await client()
    for (const call of [api.billing.details, api.billing.pay, api.billing.cancel]) {
      expect(await stranger.attempt(call, { params })).toMatchObject({ status: 404 })
    }
  })

  test('the provider refunds the money of a cancelled order once', async () => {
    const buyer = await client()
    const { id: packageId } = await plan()
    const { body } = await order(buyer, packageId, 'Plan 9')
    const before = await statement(t.db)
    const params = { id: body.order.id }
    const cancel = { status: 'cancelled', refund: 'provider' } as const
    await shop.admin.call(api.orders.update, { params, body: cancel })
    await vi.waitFor(async () => {
      const { payments } = await buyer.call(api.billing.details, { params })
      expect(payments).toMatchObject([{ received: '6.00', refunded: '6.00', status: 'refunded' }])
    })
    expect(await statement(t.db)).toMatchObject({
      received: before.received - 600,
      held: before.held - 600,
      isBalanced: true,
    })
    const again = await shop.admin.attempt(api.orders.update, { params, body: cancel })
    expect(again.status).toBe(409)
    expect(await buyer.call(api.billing.overview)).toMatchObject({ credit: '0.00' })
  })

  test('every cent is accounted for', async () => {
    expect(await statement(t.db)).toMatchObject({ isBalanced: true, unclaimed: 0 })
  })
})
