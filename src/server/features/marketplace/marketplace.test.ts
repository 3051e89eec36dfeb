import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { templates } from '../../db/schema/infrastructure.ts'
import { payments } from '../../db/schema/sales.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp } from '../../testing/test-app.ts'

describe('the marketplace', async () => {
  const t = await testApp({ sim: true, withJobs: true })
  const shop = await openShop(t)
  const named = (token: { id: number } | { tokenId: string }) => ({
    params: { tokenId: 'tokenId' in token ? token.tokenId : String(token.id) },
  })

  test('a purchase becomes a running server', async () => {
    const token = await shop.token()
    const client = t.as(await t.make.client())
    const sale = await client.call(api.marketplace.purchase, named({ id: token.id }))
    expect(sale).toMatchObject({
      token: { id: token.id, name: token.name, status: 'pending' },
      order: { status: 'provisioning', amount: '5.00', kind: 'purchase', failure: null },
    })
    expect(await shop.ended(sale.jobId)).toMatchObject({ state: 'done', failure: null })
    const [mine] = await client.call(api.client.tokens)
    expect(mine).toMatchObject({
      id: token.id,
      status: 'assigned',
      job: null,
      macAddress: expect.stringMatching(/^02:/),
    })
    // Known neither to the operator nor to a previous buyer (T8).
    expect(mine?.password).toMatch(/^[\w-]{20,}$/)
    expect(mine?.password).not.toBe('first-password')
    expect(t.sim.state.vms.get(mine?.proxmoxVmId ?? 0)?.config).toMatchObject({
      cores: '2',
      memory: '2048',
      ciuser: 'root',
      ipconfig0: `ip=${token.ipAddress}/24,gw=203.0.113.1`,
      nameserver: '9.9.9.9',
      searchdomain: 'test.example',
      net0: expect.stringContaining(mine?.macAddress ?? 'none'),
      scsi0: expect.stringContaining('size=20G'),
    })
    await t.deps.sync.now(t.cluster.id)
    const [instance] = await client.call(api.client.instances)
    expect(instance).toMatchObject({
      status: 'running',
      vmId: mine?.proxmoxVmId,
      token: { password: mine?.password, username: 'root' },
    })
    const paid = await t.db.select().from(payments).where(eq(payments.orderId, sale.order.id))
    expect(paid).toMatchObject([{ amountCents: 500, status: 'paid', provider: 'sandbox' }])
    const timeline = await client.call(api.tokens.timeline, { params: { id: token.id } })
    expect(timeline.map(({ action, by }) => [action, by])).toEqual([
      ['token.purchase', 'you'],
      ['token.assign', 'system'],
    ])
  })

  test('a ready token is deployed without a clone, with a new password', async () => {
    const vm = await shop.vm(100)
    const token = await shop.token({
      tokenType: 'ready',
      instanceId: vm.id,
      username: 'debian',
      password: 'known-to-the-admin',
    })
    const client = t.as(await t.make.client())
    const before = t.sim.state.vms.size
    const sale = await client.call(api.marketplace.purchase, named(token))
    expect(await shop.ended(sale.jobId)).toMatchObject({ state: 'done' })
    const [mine] = await client.call(api.client.tokens)
    expect(mine).toMatchObject({ status: 'assigned', proxmoxVmId: 100, assignedInstanceId: vm.id })
    // The address was reported by the guest.
    expect(mine?.ipAddress).toMatch(/^[\d.]+$/)
    expect(mine?.password).not.toBe('known-to-the-admin')
    expect(t.sim.state.vms.get(100)?.guest.passwords.debian).toBe(mine?.password)
    expect(t.sim.state.vms.size).toBe(before)
  })

  test('shows tokens on sale and the caller’s own, and no secret', async () => {
    const stock = await shop.token({ password: 'canary-secret', domain: 'canary.example' })
    const owner = await t.make.client()
    const taken = await shop.token({ password: 'canary-secret' })
    const { jobId } = await t.as(owner).call(api.marketplace.purchase, named(taken))
    await shop.ended(jobId)
    const others = await t.as(await t.make.client()).attempt(api.marketplace.tokens)
    const text = JSON.stringify(others.body)
    expect(text).not.toContain('canary')
    expect(text).not.toContain(String(stock.ipAddress))
    expect(text).not.toContain('root')
    const ids = others.body.map(({ id }) => id)
    expect(ids).toContain(stock.id)
    expect(ids).not.toContain(taken.id)
    const own = await t.as(owner).call(api.marketplace.tokens)
    expect(own.find(({ id }) => id === taken.id)).toMatchObject({
      status: 'assigned',
      assignedUserId: owner.id,
    })
    expect(own.find(({ id }) => id === stock.id)).toMatchObject({ assignedUserId: null })
  })

  test('allows one trial per account, free tokens only as a trial, and others only by purchase', async () => {
    const free = await shop.token({ monthlyPrice: '0', durationDays: 3 })
    const dear = await shop.token()
    const client = t.as(await t.make.client())
    expect(await client.attempt(api.marketplace.purchase, named(free))).toMatchObject({
      status: 409,
      body: { message: 'This token is a free trial.' },
    })
    expect(await client.attempt(api.marketplace.trial, named(dear))).toMatchObject({
      status: 409,
      body: { message: 'This token is not free: please buy it.' },
    })
    const sale = await client.call(api.marketplace.trial, named(free))
    expect(sale.order).toMatchObject({ kind: 'trial', amount: '0.00' })
    await shop.ended(sale.jobId)
    const { trialEndsAt } = await shop.orderRow(sale.order.id)
    expect(trialEndsAt).toEqual((await shop.tokenRow(free.id)).expiresAt)
    const second = await shop.token({ monthlyPrice: '0' })
    expect(await client.attempt(api.marketplace.trial, named(second))).toMatchObject({
      status: 409,
      body: { code: 'TRIAL_USED', message: 'You have already used your free trial.' },
    })
    expect(await shop.tokenRow(second.id)).toMatchObject({ status: 'available' })
  })

  test('a token that cannot be delivered now is refused with the reason, and stays on sale', async () => {
    const token = await shop.token()
    const buyer = t.as(await t.make.client())
    await t.db.update(templates).set({ missingSince: new Date() })
    expect(await buyer.attempt(api.marketplace.purchase, named(token))).toMatchObject({
      status: 409,
      body: { message: 'This token cannot be delivered now. Its template is gone.' },
    })
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'available',
      assignedUserId: null,
    })
    expect((await buyer.call(api.billing.overview)).orders).toEqual([])
    await t.db.update(templates).set({ missingSince: null })
    const { jobId } = await buyer.call(api.marketplace.purchase, named(token))
    expect(await shop.ended(jobId)).toMatchObject({ state: 'done' })
  })

  test('a taken token is reported as taken, and a missing one as not found', async () => {
    const token = await shop.token()
    const first = t.as(await t.make.client())
    const { jobId } = await first.call(api.marketplace.purchase, named(token))
    const late = t.as(await t.make.client())
    expect(await late.attempt(api.marketplace.purchase, named(token))).toMatchObject({
      status: 409,
      body: { code: 'TOKEN_TAKEN' },
    })
    const withdrawn = await shop.token()
    await shop.admin.call(api.tokens.remove, { params: { id: withdrawn.id } })
    const gone = await late.attempt(api.marketplace.purchase, named(withdrawn))
    const absent = await late.attempt(api.marketplace.purchase, named({ id: 2_000_000_000 }))
    expect([gone.status, absent.status]).toEqual([404, 404])
    expect(gone.body).toEqual(absent.body)
    await shop.ended(jobId)
    for (const tokenId of ['99999999999', 'no-such-token', '0']) {
      expect((await late.attempt(api.marketplace.purchase, { params: { tokenId } })).status).toBe(
        404,
      )
    }
  })

  test('a failure is explained in a general sentence, and the admin can retry it', async () => {
    const token = await shop.token()
    const buyer = await t.make.client()
    t.sim.faults.add({ kind: 'task-error', path: '/clone$', count: 1, message: 'no space left' })
    const sale = await t.as(buyer).call(api.marketplace.purchase, named(token))
    const failed = await shop.ended(sale.jobId)
    expect(failed).toMatchObject({ state: 'failed' })
    expect(await shop.orderRow(sale.order.id)).toMatchObject({
      status: 'paid',
      failure: 'This could not be done. The operator has been told. Your payment is safe.',
      failureDetail: expect.stringMatching(/^The task failed on the cluster: no space left\./),
    })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
    await shop.admin.call(api.jobs.retry, { params: { id: sale.jobId ?? '' } })
    expect(await shop.ended(sale.jobId)).toMatchObject({ state: 'done' })
    expect(await shop.orderRow(sale.order.id)).toMatchObject({ status: 'active', failure: null })
  })

  test('a failed trial does not count as used, so the client may take another', async () => {
    const [failing, other] = [
      await shop.token({ monthlyPrice: '0' }),
      await shop.token({ monthlyPrice: '0' }),
    ]
    const client = t.as(await t.make.client())
    t.sim.faults.add({ kind: 'task-error', path: '/clone$', count: 1, message: 'no space left' })
    const first = await client.call(api.marketplace.trial, named(failing))
    expect(await shop.ended(first.jobId)).toMatchObject({ state: 'failed' })
    const second = await client.call(api.marketplace.trial, named(other))
    expect(await shop.ended(second.jobId)).toMatchObject({ state: 'done' })
    expect(await shop.orderRow(first.order.id)).toMatchObject({ status: 'cancelled' })
    // A cancelled order is not delivered in addition.
    await shop.admin.call(api.jobs.retry, { params: { id: first.jobId ?? '' } })
    expect(await shop.ended(first.jobId)).toMatchObject({ state: 'failed' })
    expect(await shop.tokenRow(failing.id)).toMatchObject({ status: 'available' })
    const third = await client.attempt(api.marketplace.trial, named(failing))
    expect(third).toMatchObject({ status: 409, body: { code: 'TRIAL_USED' } })
  })
})
