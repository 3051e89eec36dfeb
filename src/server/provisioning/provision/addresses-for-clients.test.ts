import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { claimsOn } from '../../addresses/claims.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { clusterBody } from '../../testing/cluster-body.ts'
import { pveum } from '../../testing/pveum.ts'
import { testApp } from '../../testing/test-app.ts'
import { guideAccount, startTestSim, usePool } from '../../testing/with-sim.ts'
import { openShop } from '../testing/shop.ts'

describe('addresses for clients', async () => {
  const t = await testApp({ sim: true, account: 'guide' })
  // A VM of another owner, in our pool, with an address of its own.
  pveum(t.sim, ['pveum pool modify hushbox --vms 100'])
  const shop = await openShop(t)
  await shop.admin.call(api.sync.proxmox)
  const use = (pool: object) => usePool(t.deps, t.cluster, pool)
  const next = () => shop.admin.call(api.tokens.nextAddress, { query: { nodeId: shop.node.id } })
  const attention = async () =>
    (await shop.admin.call(api.dashboard.attention)).find(({ kind }) => kind === 'no-network')

  test('never come from a pool that is only proposed, and the attention list says so', async () => {
    await use({ ranges: [] })
    expect(await next()).toEqual({ ipAddress: null })
    const answer = await shop.admin.attempt(api.tokens.create, { body: shop.form() })
    expect(answer).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^No pool .* has a range/) },
    })
    expect(await attention()).toMatchObject({
      message: 'Nothing can be sold on cluster Test: no pool has a range for clients',
      path: '/pools',
    })
  })

  test('come from the range, without those used by the cluster or a VM', async () => {
    // As on a real cluster: the nodes and their bridge are in the clients' network.
    await t.db
      .update(clusters)
      .set({ ownAddresses: ['203.0.113.8', '203.0.113.9'] })
      .where(eq(clusters.id, t.cluster.id))
    await use({ ranges: [{ first: '203.0.113.8', last: '203.0.113.12' }] })
    // 10 is the address in VM 100's own configuration.
    expect(await next()).toEqual({ ipAddress: '203.0.113.11' })
    for (const ipAddress of ['203.0.113.9', '203.0.113.10', '203.0.113.40']) {
      const body = shop.form({ ipAddress })
      expect((await shop.admin.attempt(api.tokens.create, { body })).status, ipAddress).toBe(409)
    }
    expect(await attention()).toBeUndefined()
  })

  test('exclude those of the cluster, read from its nodes, and those of its host', async () => {
    await shop.admin.call(api.sync.proxmox)
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, t.cluster.id))
    expect(row?.ownAddresses).toEqual(expect.arrayContaining(['127.0.0.1', '127.0.0.2']))
    const claims = await claimsOn(t.db, { clusterId: t.cluster.id })
    expect([...claims.keys()]).toContain(t.sim.host)
  })

  test('a discovered VM has its own creation time, not that of its discovery', async () => {
    const [row] = await t.db.select().from(instances).where(eq(instances.vmId, 100))
    const days = (Date.now() - (row?.createdAt.getTime() ?? 0)) / 86_400_000
    expect(Math.round(days)).toBe(60)
  })
})

test('an added cluster comes with a proposed pool and sells nothing yet', async () => {
  const sim = await startTestSim()
  const t = await testApp()
  const { account } = guideAccount(sim)
  const body = clusterBody(sim, { username: account.username, password: account.secret })
  const admin = t.as(await t.make.admin())
  const made = await admin.call(api.clusters.create, { body })
  const pools = await admin.call(api.pools.list)
  expect(pools.every(({ ranges }) => ranges.length === 0)).toBe(true)
  expect(made.settings).toMatchObject({ pool: 'hushbox', storage: 'ceph-vm' })
  await sim.close()
})
