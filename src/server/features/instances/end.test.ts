import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { sellServers } from '../../provisioning/testing/servers.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

const DAY = 86_400_000
const soon = { timeout: 30_000, interval: 50 }

describe.each(BOTH_DATABASES)('the end of a server on %s', async (database) => {
  const clock = testClock()
  const env = { PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ sim: true, withJobs: true, database, clock, env })
  const shop = await openShop(t)

  const { markPaid, claimed, server, creditOf, isOn, isBalanced } = sellServers(t, shop)

  test('by an operator turns the money into credit, stops and keeps the VM, and shows in the order', async () => {
    const { user, token, order, vmId, id, end } = await server()
    expect(await shop.admin.call(api.instances.preview, { params: { id } })).toMatchObject({
      vmId,
      cluster: 'Test',
      clientName: user.username,
      paidUntil: (await shop.tokenRow(token.id)).expiresAt?.toISOString(),
      keptUntil: new Date(clock.now().getTime() + 7 * DAY).toISOString(),
      isComing: false,
      refundable: { amount: '5.00', byProvider: false },
      confirm: String(vmId),
    })
    const wrong = await shop.admin.attempt(api.instances.end, end('credit', 'something else'))
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    const back = await shop.admin.attempt(api.instances.end, end('provider'))
    expect(back).toMatchObject({ status: 409, body: { message: expect.stringMatching(/credit/) } })
    const answer = await shop.admin.attempt(api.instances.end, end('credit'))
    expect(answer).toMatchObject({ status: 202 })
    expect(await shop.ended(answer.body.jobId)).toMatchObject({ state: 'done', kind: 'stop' })
    expect(isOn(vmId)).toBe(false)
    expect(await creditOf(user)).toBe('5.00')
    // The refunded time is taken back as well.
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'cancelled',
      expiresAt: clock.now(),
      cancelledAt: clock.now(),
    })
    expect((await shop.orderRow(order.id)).status).toBe('cancelled')
    const [entry] = await t.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.target, `token:${token.id}`))
      .orderBy(auditLog.id)
      .then((rows) => rows.filter(({ action }) => action === 'token.cancel'))
    expect(entry?.details).toMatchObject({ refund: 'credit', cents: 500 })
    expect(await shop.admin.attempt(api.instances.end, end('credit'))).toMatchObject({
      status: 409,
      body: { message: 'This server has already ended.' },
    })
    expect(await creditOf(user)).toBe('5.00')
    expect(await isBalanced()).toBe(true)
  })

  test('by its owner gives no refund, accepts the name too, and is refused to other clients', async () => {
    const { user, order, token, vmId, id, end } = await server()
    const owner = t.as(user)
    expect(await owner.attempt(api.instances.end, end('credit'))).toMatchObject({ status: 403 })
    const stranger = t.as(await t.make.client())
    expect(await stranger.attempt(api.instances.end, end('none'))).toMatchObject({ status: 404 })
    expect(await stranger.attempt(api.instances.preview, { params: { id } })).toMatchObject({
      status: 404,
    })
    const preview = await owner.call(api.instances.preview, { params: { id } })
    expect(preview).toMatchObject({ cluster: null, vmId })
    const { jobId } = await owner.call(api.instances.end, end('none', token.name))
    await shop.ended(jobId)
    expect(isOn(vmId)).toBe(false)
    expect(await creditOf(user)).toBe('0.00')
    const orders = (await owner.call(api.billing.overview)).orders
    expect(orders.find((one) => one.id === order.id)).toMatchObject({
      status: 'active',
      server: 'ended',
    })
    const [listed] = (await shop.admin.call(api.orders.list)).filter(({ id }) => id === order.id)
    expect(listed).toMatchObject({ status: 'active', server: 'ended' })
  })

  test('happens once, with one refund, if requested five times at once', async () => {
    const { user, end } = await server()
    const asked = Array.from({ length: 5 }, () =>
      shop.admin.attempt(api.instances.end, end('credit')),
    )
    const answers = (await Promise.all(asked)).map(({ status }) => status).sort()
    expect(answers).toEqual([202, 409, 409, 409, 409])
    expect(await creditOf(user)).toBe('5.00')
    expect(await isBalanced()).toBe(true)
  })

  test('during provisioning leaves nothing behind, and the money goes where the caller chose', async () => {
    const { user, token, order } = await claimed()
    t.sim.faults.add({ kind: 'latency', ms: 400, path: /clone|config/ })
    await markPaid(order.id)
    const reserved = await vi.waitFor(async () => {
      const [row] = await shop.instancesOf(token.id)
      if (!row) throw new Error('not reserved yet')
      return row
    }, soon)
    const params = { id: reserved.id }
    const confirm = String(reserved.vmId)
    const early = await t.as(user).attempt(api.instances.end, { params, body: { confirm } })
    expect(early).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    const kept = await shop.admin.attempt(api.instances.end, { params, body: { confirm } })
    expect(kept).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    const body = { refund: 'credit', confirm } as const
    const { jobId } = await shop.admin.call(api.instances.end, { params, body })
    t.sim.faults.clear()
    expect(await shop.ended(jobId)).toMatchObject({ kind: 'provision', state: 'failed' })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
    expect(await shop.instancesOf(token.id)).toEqual([])
    expect(t.sim.state.vms.has(reserved.vmId)).toBe(false)
    expect(await creditOf(user)).toBe('5.00')
    expect(await isBalanced()).toBe(true)
  })

  test('never loses a concurrent payment for a renewal', async () => {
    const outcomes = new Set<string>()
    for (const first of ['end', 'pay', 'both', 'both', 'both']) {
      const { user, token, end } = await server()
      const { order } = await t.as(user).call(api.client.renew, { params: { id: token.id } })
      const pay = async () => {
        const body = { status: 'paid' } as const
        return await shop.admin.attempt(api.orders.update, { params: { id: order.id }, body })
      }
      const stop = () => shop.admin.attempt(api.instances.end, end('credit'))
      const run = first === 'end' ? [stop, pay] : [pay, stop]
      if (first === 'both') await Promise.all(run.map((act) => act()))
      else for (const act of run) await act()
      const isPaid = (
        await shop.admin.call(api.orders.details, { params: { id: order.id } })
      ).payments.some(({ received }) => received === '5.00')
      outcomes.add(isPaid ? 'paid' : 'released')
      expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'cancelled' })
      expect(await shop.orderRow(order.id)).toMatchObject({ status: 'cancelled' })
      expect(await creditOf(user)).toBe(isPaid ? '10.00' : '5.00')
      expect(await isBalanced()).toBe(true)
    }
    expect([...outcomes].sort()).toEqual(['paid', 'released'])
  })

  test('refunds only unused terms, because past terms are earned', async () => {
    const { user, token, end } = await server()
    const { order } = await t.as(user).call(api.client.renew, { params: { id: token.id } })
    await markPaid(order.id)
    clock.advance(31 * DAY)
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    await shop.admin.call(api.instances.end, end('credit'))
    expect(await creditOf(user)).toBe('5.00')
    expect(await isBalanced()).toBe(true)
  })

  test('has its own call, which the delete routes of the API name', async () => {
    const { token, vmId, id, end } = await server()
    const deleteVm = () => shop.admin.attempt(api.instances.remove, { params: { id } })
    const deleteToken = () => shop.admin.attempt(api.tokens.remove, { params: { id: token.id } })
    for (const answer of [await deleteVm(), await deleteToken()]) {
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'IN_USE', message: expect.stringContaining(`/api/instances/${id}/end`) },
      })
    }
    const { jobId } = await shop.admin.call(api.instances.end, end('none'))
    await shop.ended(jobId)
    const [kept] = (await shop.admin.call(api.tokens.cancelled)).filter(
      (one) => one.id === token.id,
    )
    expect(kept?.keptUntil).toBe(new Date(clock.now().getTime() + 7 * DAY).toISOString())
    expect((await deleteToken()).body.message).toContain(`DELETE /api/instances/${id}`)
    // An operator need not wait for the grace period.
    expect((await deleteVm()).status).toBe(204)
    await vi.waitFor(() => expect(t.sim.state.vms.has(vmId)).toBe(false), soon)
    await vi.waitFor(async () => expect((await deleteToken()).status).toBe(204), soon)
    const stock = await shop.token({
      tokenType: 'ready',
      templateId: null,
      ipAddress: null,
      instanceId: (await shop.vm(100)).id,
    })
    const params = { id: stock.instanceId ?? 0 }
    const calls = [
      await shop.admin.attempt(api.instances.remove, { params }),
      await shop.admin.attempt(api.instances.end, { params, body: { confirm: '100' } }),
    ]
    for (const { status, body } of calls) {
      expect([status, body.message]).toEqual([
        409,
        expect.stringContaining(`/api/tokens/${stock.id}`),
      ])
    }
  })

  test('with a refund leaves a restored server unpaid, and its client has to renew it', async () => {
    const refunded = await server()
    await shop.admin.call(api.instances.end, refunded.end('credit'))
    const given = await server()
    await shop.admin.call(api.instances.end, given.end('none'))
    const restore = (token: { id: number }) =>
      shop.admin.call(api.tokens.restore, { params: { id: token.id } })
    expect(await restore(refunded.token)).toMatchObject({ status: 'expired' })
    expect(await restore(given.token)).toMatchObject({ status: 'assigned' })
    await vi.waitFor(() => expect(isOn(given.vmId)).toBe(true), soon)
    const start = { params: { id: refunded.id } }
    expect(await t.as(refunded.user).attempt(api.instances.start, start)).toMatchObject({
      status: 409,
    })
    // The credit pays for the next term, and the server runs again; and it can be ended again.
    const params = { id: refunded.token.id }
    const renewed = await t.as(refunded.user).call(api.client.renew, { params })
    expect(renewed.order).toMatchObject({ status: 'active', credit: '5.00' })
    await vi.waitFor(() => expect(isOn(refunded.vmId)).toBe(true), soon)
    expect(await shop.admin.attempt(api.instances.end, refunded.end('credit'))).toMatchObject({
      status: 202,
    })
    expect(await isBalanced()).toBe(true)
  })
})
