import { expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { pools } from '../db/schema/addresses.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { atEnd } from '../testing/at-end.ts'
import { testApp } from '../testing/test-app.ts'
import { startTestSim } from '../testing/with-sim.ts'
import { storeDemoCluster } from './demo-cluster.ts'

test('the demo is one cluster, whatever port it listens on', async () => {
  const sim = await startTestSim()
  atEnd(() => sim.close())
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const at = (port: number) => ({
    isReal: false,
    connection: {
      host: sim.host,
      port,
      username: sim.apiToken.id,
      secret: sim.apiToken.secret,
      certificate: { fingerprint: sim.fingerprint, pem: sim.certPem },
    },
  })
  await storeDemoCluster(t.deps, at(1))
  const [first] = await t.db.select().from(clusters)
  await admin.call(api.clusters.update, {
    params: { id: first?.id ?? 0 },
    body: { name: 'Playground' },
  })
  await storeDemoCluster(t.deps, at(sim.port))
  await t.deps.links.refresh()
  // A page gives up quickly; on a busy machine the test retries.
  const synced = await vi.waitFor(() => admin.call(api.sync.proxmox), { timeout: 30_000 })
  expect(synced).toMatchObject({ message: expect.stringMatching(/Synced 2 nodes/) })
  const [shown, ...others] = await admin.call(api.clusters.list)
  expect(others).toEqual([])
  expect(shown).toMatchObject({
    id: first?.id,
    name: 'Playground',
    status: 'connected',
    isDefault: true,
    settings: { pool: 'vps' },
  })
  expect(await admin.call(api.pools.list)).toMatchObject([{ cidr: '203.0.113.0/24' }])
  const before = await t.db.select().from(clusters)
  await storeDemoCluster(t.deps, at(sim.port))
  expect(await t.db.select().from(clusters)).toEqual(before)
})

test('real guests have addresses of this machine', async () => {
  const t = await testApp()
  const connection = { host: '127.0.0.1', port: 1, username: 'root@pam!hushbox', secret: 'secret' }
  await storeDemoCluster(t.deps, { connection, isReal: true })
  expect(await t.db.select().from(pools)).toMatchObject([
    {
      cidr: '127.77.0.0/24',
      gateway: '127.77.0.1',
      ranges: [{ first: '127.77.0.10', last: '127.77.0.250' }],
    },
  ])
})
