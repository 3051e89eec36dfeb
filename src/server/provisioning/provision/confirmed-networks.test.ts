import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { clusterBody } from '../../testing/cluster-body.ts'
import { pveum } from '../../testing/pveum.ts'
import { testApp } from '../../testing/test-app.ts'
import { clusterSettings, guideAccount, startTestSim } from '../../testing/with-sim.ts'
import { addressHolders } from '../allocation/addresses.ts'
import { openShop } from '../testing/shop.ts'

const [NETWORK] = clusterSettings.networks
if (!NETWORK) throw new Error('the tests have no network')

describe('addresses for clients', async () => {
  const t = await testApp({ sim: true, account: 'guide' })
  // A VM of another owner, in our pool, with an address of its own.
  pveum(t.sim, ['pveum pool modify hushbox --vms 100'])
  const shop = await openShop(t)
  await shop.admin.call(api.sync.proxmox)
  const use = (network: object) =>
    t.db
      .update(clusters)
      .set({ settings: { ...t.cluster.settings, networks: [{ ...NETWORK, ...network }] } })
      .where(eq(clusters.id, t.cluster.id))
  const next = () => shop.admin.call(api.tokens.nextAddress, { query: { nodeId: shop.node.id } })
  const attention = async () =>
    (await shop.admin.call(api.dashboard.attention)).find(({ kind }) => kind === 'no-network')

  test('never come from a network that is only proposed, and the attention list says so', async () => {
    await use({ isConfirmed: false, first: null, last: null })
    expect(await next()).toEqual({ ipAddress: null })
    const answer = await shop.admin.attempt(api.tokens.create, { body: shop.form() })
    expect(answer).toMatchObject({ status: 409, body: { message: /No network .* is confirmed/ } })
    expect(await attention()).toMatchObject({
      message: 'Nothing can be sold on cluster Test: no network is confirmed',
      path: `/clusters?settings=${t.cluster.id}&tab=new-vms`,
    })
  })

  test('come from the confirmed range, without those used by the cluster or a VM', async () => {
    // As on a real cluster: the nodes and their bridge are in the clients' network.
    await t.db
      .update(clusters)
      .set({ ownAddresses: ['203.0.113.8', '203.0.113.9'] })
      .where(eq(clusters.id, t.cluster.id))
    await use({ first: '203.0.113.8', last: '203.0.113.12' })
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
    const holders = await addressHolders(t.db, [t.cluster.id])
    expect(holders.map(({ address }) => address)).toContain(t.sim.host)
  })

  test('a discovered VM has its own creation time, not that of its discovery', async () => {
    const [row] = await t.db.select().from(instances).where(eq(instances.vmId, 100))
    const days = (Date.now() - (row?.createdAt.getTime() ?? 0)) / 86_400_000
    expect(Math.round(days)).toBe(60)
  })
})

test('an added cluster comes with a proposed network and sells nothing yet', async () => {
  const sim = await startTestSim()
  const t = await testApp()
  const { account } = guideAccount(sim)
  const body = clusterBody(sim, { username: account.username, password: account.secret })
  const admin = t.as(await t.make.admin())
  const made = await admin.call(api.clusters.create, { body })
  expect(made.settings.networks.every(({ isConfirmed }) => !isConfirmed)).toBe(true)
  expect(made.settings).toMatchObject({ pool: 'hushbox', storage: 'ceph-vm' })
  await sim.close()
})
