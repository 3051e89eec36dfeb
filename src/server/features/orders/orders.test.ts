import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { statement } from '../../ledger/statement.ts'
import { byHand } from '../../provisioning/testing/by-hand.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const MINUTE = 60_000

describe.each(EACH_DATABASE)('orders that an admin handles (%s)', async (database) => {
  const clock = testClock()
  const env = { PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ sim: true, withJobs: true, database, clock, env })
  const shop = await openShop(t)
  const hand = byHand(t)
  const person = async () => {
    const user = await t.make.client()
    return { user, client: t.as(user) }
  }
  const buy = async () => {
    const token = await shop.token()
    const buyer = await person()
    const params = { tokenId: token.tokenId }
    return { token, ...buyer, sale: await buyer.client.call(api.marketplace.purchase, { params }) }
  }
  const patch = (id: number, body: Record<string, unknown>) =>
    shop.admin.attempt(api.orders.update, { params: { id }, body })
  const details = (id: number) => shop.admin.call(api.orders.details, { params: { id } })
  const balance = () => statement(t.db)

  test('a purchase waits for payment, and marking it as paid makes the server', async () => {
    const { token, client, sale } = await buy()
    expect(sale).toMatchObject({
      order: { status: 'pending', amount: '5.00', credit: '0.00' },
      checkoutUrl: `/billing/orders/${sale.order.id}`,
    })
    expect(sale.jobId).toBeUndefined()
    const paid = await patch(sale.order.id, { status: 'paid' })
    expect(paid).toMatchObject({ status: 200, body: { status: 'provisioning' } })
    const row = await shop.orderRow(sale.order.id)
    expect(await shop.ended(row.jobId ?? undefined)).toMatchObject({ state: 'done' })
    expect(await client.call(api.client.tokens)).toMatchObject([{ id: token.id }])
    expect(await details(sale.order.id)).toMatchObject({
      order: { status: 'active', clientName: expect.any(String) },
      payments: [{ provider: 'manual', received: '5.00', status: 'paid' }],
      refundable: { amount: '5.00', byProvider: false },
    })
    expect(await patch(sale.order.id, { status: 'paid' })).toMatchObject({ status: 409 })
    expect(await balance()).toMatchObject({ received: 500, earned: 500, isBalanced: true })
  })

  test('an unpaid token is free again after half an hour, not before', async () => {
    const { token, client, sale } = await buy()
    clock.advance(30 * MINUTE - 1)
    await hand.lapse()
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'pending' })
    clock.advance(1)
    await hand.lapse()
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'available',
      assignedUserId: null,
    })
    expect(await shop.orderRow(sale.order.id)).toMatchObject({ status: 'cancelled' })
    const params = { id: sale.order.id }
    expect(await client.attempt(api.billing.pay, { params })).toMatchObject({ status: 409 })
  })

  test('a client may cancel an order it has not paid', async () => {
    const { token, client, sale } = await buy()
    const params = { id: sale.order.id }
    await client.call(api.billing.cancel, { params })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
    expect(await client.attempt(api.billing.cancel, { params })).toMatchObject({ status: 409 })
  })

  test('cancelling a delivered order makes credit, and credit pays the next one', async () => {
    const { client, sale } = await buy()
    await patch(sale.order.id, { status: 'paid' })
    const row = await shop.orderRow(sale.order.id)
    expect(await shop.ended(row.jobId ?? undefined)).toMatchObject({ state: 'done', failure: null })
    const before = await balance()
    expect(await patch(sale.order.id, { status: 'cancelled', refund: 'credit' })).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    })
    expect(await client.call(api.billing.overview)).toMatchObject({ credit: '5.00' })
    expect(await balance()).toMatchObject({
      received: before.received,
      earned: before.earned - 500,
      isBalanced: true,
    })
    const next = await shop.token({ monthlyPrice: '7.00' })
    const sold = await client.call(api.marketplace.purchase, {
      params: { tokenId: next.tokenId },
    })
    expect(sold.order).toMatchObject({ status: 'pending', amount: '7.00', credit: '5.00' })
    expect(await client.call(api.billing.overview)).toMatchObject({ credit: '0.00' })
    await client.call(api.billing.cancel, { params: { id: sold.order.id } })
    expect(await client.call(api.billing.overview)).toMatchObject({ credit: '5.00' })
  })

  test('a VM without an owner can be linked to a paid order', async () => {
    const { client, user, sale } = await buy()
    const { id } = sale.order
    await patch(id, { status: 'paid' })
    await shop.ended((await shop.orderRow(id)).jobId ?? undefined)
    const other = await orderPackage(await person())
    expect(await patch(other.id, body(100))).toMatchObject({ status: 409 })
    await patch(other.id, { status: 'paid' })
    const paid = await shop.orderRow(other.id)
    expect(paid).toMatchObject({
      status: 'paid',
      failureDetail: expect.stringContaining('no template'),
    })
    expect(await patch(other.id, body(424_242))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('no VM 424242') },
    })
    const vm = await shop.vm(100)
    expect(await patch(other.id, body(100))).toMatchObject({
      status: 200,
      body: { status: 'active', assignedVmId: 100, assignedNodeId: vm.nodeId },
    })
    const [linked] = await t.db.select().from(instances).where(eq(instances.vmId, 100))
    expect(linked).toMatchObject({ ownerId: other.userId })
    expect(await patch(other.id, body(100))).toMatchObject({ status: 409 })
    const again = await orderPackage(await person())
    await patch(again.id, { status: 'paid' })
    expect(await patch(again.id, body(100))).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('already has') },
    })
    expect(user.id).not.toBe(other.userId)
    expect(await client.call(api.client.tokens)).toHaveLength(1)
    expect(await balance()).toMatchObject({ isBalanced: true })

    function body(vmId: number) {
      const login = { username: 'debian', password: 'known-to-the-admin' }
      return { status: 'active', assignedNodeId: shop.node.id, assignedVmId: vmId, ...login }
    }
  })

  test('a renewal waits for payment, a second request continues it, and a new price makes a new one', async () => {
    const { token, user, sale } = await buy()
    await patch(sale.order.id, { status: 'paid' })
    await shop.ended((await shop.orderRow(sale.order.id)).jobId ?? undefined)
    const before = (await shop.tokenRow(token.id)).expiresAt
    const renew = () => t.as(user).call(api.client.renew, { params: { id: token.id } })
    const [first, second] = await Promise.all([renew(), renew()])
    expect(first.order).toMatchObject({ status: 'pending', kind: 'renewal', payBy: null })
    expect(second.order.id).toBe(first.order.id)
    expect((await shop.tokenRow(token.id)).expiresAt).toEqual(before)
    await t.db.update(tokens).set({ monthlyPriceCents: 800 }).where(eq(tokens.id, token.id))
    const dearer = await renew()
    expect(dearer.order).toMatchObject({ amount: '8.00', status: 'pending' })
    expect(await shop.orderRow(first.order.id)).toMatchObject({ status: 'cancelled' })
    expect(await patch(dearer.order.id, { status: 'paid' })).toMatchObject({
      body: { status: 'active' },
    })
    const after = (await shop.tokenRow(token.id)).expiresAt
    expect(Number(after) - Number(before)).toBe(30 * 24 * 60 * MINUTE)
  })

  test('every invalid change is refused with a sentence and changes nothing', async () => {
    const { sale } = await buy()
    const { id } = sale.order
    for (const [bad, status] of [
      [{}, 400],
      [{ status: 'pending' }, 409],
      [{ status: 'active' }, 400],
      [{ status: 'provisioning' }, 409],
      [{ status: 'paid and gone' }, 400],
      [{ status: 'cancelled', refund: 'provider' }, 409],
    ] as const) {
      const reply = await patch(id, bad)
      expect([reply.status, reply.body.message.length > 10]).toEqual([status, true])
    }
    expect(await shop.orderRow(id)).toMatchObject({ status: 'pending' })
    expect(await patch(999_999, { status: 'paid' })).toMatchObject({ status: 404 })
  })

  async function orderPackage({ user, client }: Awaited<ReturnType<typeof person>>) {
    const plan = { name: 'Odd', cpu: '1 CPU', ram: '1 GB', storage: '10 GB', price: 6 }
    const made = { ...plan, osOptions: ['Plan 9'] }
    const { id } = await shop.admin.call(api.packages.create, { body: made })
    const body = { packageId: id, osType: 'Plan 9' }
    const { order } = await client.call(api.billing.order, { body })
    return { id: order.id, userId: user.id }
  }
})
