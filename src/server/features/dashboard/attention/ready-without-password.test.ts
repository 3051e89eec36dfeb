import { asc, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances } from '../../../db/schema/stock.ts'
import { pveum } from '../../../testing/pveum.ts'
import { testApp } from '../../../testing/test-app.ts'
import { addSimCluster, guideAccount, startTestSim } from '../../../testing/with-sim.ts'

test('ready servers that cannot get a new password are reported, and the row opens exactly those', async () => {
  const sim = await startTestSim()
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const account = guideAccount(sim)
  pveum(sim, ['pveum pool modify hushbox --vms 100,101'])
  const cluster = await addSimCluster(t.deps, sim, account)
  const vms = await t.db
    .select()
    .from(instances)
    .where(eq(instances.clusterId, cluster.id))
    .orderBy(asc(instances.vmId))
  const offer = async ({ id: instanceId, nodeId }: (typeof vms)[number]) => {
    const token = await t.make.token({ tokenType: 'ready', status: 'ready', instanceId, nodeId })
    await t.db.update(instances).set({ tokenId: token.id }).where(eq(instances.id, instanceId))
    return token
  }
  const row = async () =>
    (await admin.call(api.dashboard.attention)).find(
      ({ kind }) => kind === 'ready-without-password',
    )
  const [first, second] = vms
  if (!first || !second) throw new Error('the pool has two VMs')
  const one = await offer(first)
  expect(await row()).toMatchObject({ count: 1, path: `/tokens?id=${one.id}` })
  const two = await offer(second)
  expect(await row()).toMatchObject({ count: 2, path: '/tokens?show=not-sellable' })
  // The page filters by the reason that keeps each from being sold.
  const listed = await admin.call(api.tokens.list)
  for (const { id } of [one, two]) {
    expect(listed.find((token) => token.id === id)?.problem).toContain('No new password can be set')
  }
})
