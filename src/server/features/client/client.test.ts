import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { tokens } from '../../db/schema/stock.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

describe("a client's server", async () => {
  const t = await testApp({ sim: true, withJobs: true })
  const shop = await openShop(t)
  const owner = await t.make.client()
  const { token, instance } = await t.make.owned(t.cluster, 100, owner)
  const mine = t.as(owner)
  const stranger = t.as(await t.make.client())

  test('is shown to its owner, secrets included, and to no other client', async () => {
    const [shown] = await mine.call(api.client.tokens)
    expect(shown).toMatchObject({ id: token.id, password: VM_PASSWORD, job: null, keptUntil: null })
    expect(shown).not.toHaveProperty('nodeId')
    const [server] = await mine.call(api.client.instances)
    expect(server).toMatchObject({
      id: instance.id,
      status: 'running',
      token: { password: VM_PASSWORD },
    })
    expect(server).not.toHaveProperty('ownerId')
    expect(await stranger.call(api.client.tokens)).toEqual([])
    expect(await stranger.call(api.client.instances)).toEqual([])
  })

  test('is shown to a simulating admin without the secrets', async () => {
    const started = await t
      .as(await t.make.admin())
      .attempt(api.simulation.start, { params: { userId: owner.id } })
    const during = t.with(started.cookie ?? '')
    const [shown] = await during.call(api.client.tokens)
    expect(shown).toMatchObject({ id: token.id, password: '' })
    const [server] = await during.call(api.client.instances)
    expect(server).toMatchObject({ id: instance.id, token: { password: '' } })
  })

  test.each(['renew', 'cancel'] as const)(
    'is not found by %s if it is another client’s',
    async (act) => {
      const theirs = await stranger.attempt(api.client[act], { params: { id: token.id } })
      const absent = await stranger.attempt(api.client[act], { params: { id: 999_999 } })
      expect(theirs.status).toBe(404)
      expect(theirs.body).toEqual(absent.body)
      expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'assigned' })
    },
  )

  test('can be renewed, and is paid for', async () => {
    const before = await shop.tokenRow(token.id)
    const { order } = await mine.call(api.client.renew, { params: { id: token.id } })
    expect(order).toMatchObject({ kind: 'renewal', amount: '5.35', status: 'active' })
    const after = await shop.tokenRow(token.id)
    expect(Number(after.expiresAt) - Number(before.expiresAt)).toBe(30 * DAY_MS)
  })

  test('shows the job in progress on it', async () => {
    t.sim.faults.add({ kind: 'latency', ms: 1500, path: '/clone$', count: 1 })
    const stock = await shop.token()
    const buyer = t.as(await t.make.client())
    const params = { tokenId: stock.tokenId }
    const { jobId } = await buyer.call(api.marketplace.purchase, { params })
    const [pending] = await buyer.call(api.client.tokens)
    expect(pending).toMatchObject({ status: 'pending', job: { id: jobId, kind: 'provision' } })
    const refused = await buyer.attempt(api.client.cancel, { params: { id: stock.id } })
    expect(refused).toMatchObject({
      status: 409,
      body: { message: 'The token is being prepared for a client.' },
    })
    await shop.ended(jobId)
  })

  test('names the day until which it is kept after its end', async () => {
    const former = await t.make.client()
    const { token: ended } = await t.make.owned(t.cluster, 101, former)
    const expiresAt = new Date(Date.now() - DAY_MS)
    await t.db.update(tokens).set({ status: 'expired', expiresAt }).where(eq(tokens.id, ended.id))
    const [shown] = await t.as(former).call(api.client.tokens)
    const kept = new Date(expiresAt.getTime() + t.deps.config.graceDays * DAY_MS)
    expect(shown?.keptUntil).toBe(kept.toISOString())
  })

  test('can be given up', async () => {
    await mine.call(api.client.cancel, { params: { id: token.id } })
    expect(await mine.call(api.client.tokens)).toEqual([])
    expect(await mine.call(api.client.instances)).toEqual([])
    expect((await mine.attempt(api.client.renew, { params: { id: token.id } })).status).toBe(404)
    await expect.poll(() => t.sim.state.vms.get(100)?.qmp, { timeout: 20_000 }).toBe('stopped')
  })

  test('is not bought, renewed or cancelled while an admin simulates the client', async () => {
    const boss = t.as(await t.make.admin())
    const started = await boss.attempt(api.simulation.start, { params: { userId: owner.id } })
    const simulating = t.with(started.cookie ?? '')
    const stock = await shop.token()
    const answers = [
      await simulating.attempt(api.marketplace.purchase, { params: { tokenId: stock.tokenId } }),
      await simulating.attempt(api.client.renew, { params: { id: token.id } }),
      await simulating.attempt(api.client.cancel, { params: { id: token.id } }),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(
      Array.from({ length: 3 }, () => 'NOT_WHILE_SIMULATING'),
    )
  })
})
