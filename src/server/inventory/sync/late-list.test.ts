import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { pveum } from '../../testing/pveum.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import type { Snapshot } from './inventory-diff.ts'
import { snapshotOf } from './inventory-sync.ts'
import { syncCluster } from './sync-cluster.ts'

/**
 * What /cluster/resources says of a VM that is being made, or whose node has been unreachable for
 * long.
 */
const bare = (vmId: number, asOf: Date): Snapshot['vms'][number] => ({
  vmId,
  node: 'pve1',
  name: '',
  state: 'unknown',
  lastKnown: 'unknown',
  isTemplate: false,
  lock: undefined,
  uptime: 0,
  cpuUsage: undefined,
  cpuCount: undefined,
  memoryUsed: undefined,
  memoryTotal: undefined,
  diskTotal: undefined,
  tags: [],
  pool: undefined,
  asOf,
  certainAt: asOf,
})

describe.each(EACH_DATABASE)("the cluster's late list on %s", async (database) => {
  const t = await testApp({ database, sim: true, account: 'guide' })
  pveum(t.sim, ['pveum pool modify hushbox --vms 100,101,9000'])
  const handle = t.deps.hypervisors.of(t.cluster.id)
  await handle.inventory.refresh()
  const seen = () => {
    const snapshot = snapshotOf(handle)
    if (!snapshot) throw new Error('nothing was polled')
    return snapshot
  }
  await syncCluster(t.deps, t.cluster.id, seen())
  const sync = (change: (snapshot: Snapshot) => Partial<Snapshot>) => {
    const snapshot = { ...seen(), asOf: t.deps.clock.now() }
    return syncCluster(t.deps, t.cluster.id, { ...snapshot, ...change(snapshot) })
  }
  const rowOf = async (vmId: number) =>
    (
      await t.db
        .select()
        .from(instances)
        .where(and(eq(instances.clusterId, t.cluster.id), eq(instances.vmId, vmId)))
    )[0]
  const templateOf = async (templateId: number) =>
    (await t.db.select().from(templates).where(eq(templates.templateId, templateId)))[0]

  test('makes no instance of a VM without a name', async () => {
    await sync(({ vms, asOf }) => ({ vms: [...vms, bare(10_001, asOf)] }))
    expect(await rowOf(10_001)).toBeUndefined()
  })

  test('renames nothing and loses no template of a node that has been unreachable for long', async () => {
    const before = await rowOf(100)
    expect(before?.name).toBe('web-frontend')
    await sync(({ vms, templates: made, asOf }) => ({
      vms: [...vms.filter(({ vmId }) => vmId !== 100), bare(100, asOf), bare(9000, asOf)],
      templates: made.filter(({ vmId }) => vmId !== 9000),
    }))
    expect(await rowOf(100)).toMatchObject({ name: 'web-frontend', status: 'unknown' })
    expect(await rowOf(9000)).toBeUndefined()
    expect(await templateOf(9000)).toMatchObject({ missingSince: null })
    await sync(() => ({}))
  })

  test('keeps a VM that it shows as the template that had its id before', async () => {
    await t.db
      .update(instances)
      .set({ lastUpdated: t.deps.clock.now() })
      .where(eq(instances.vmId, 101))
    await sync(({ vms, templates: made }) => ({
      vms: vms.filter(({ vmId }) => vmId !== 101),
      templates: [...made, ...vms.filter(({ vmId }) => vmId === 101)],
    }))
    expect(await rowOf(101)).toMatchObject({ missingSince: null })
    expect(await templateOf(101)).toBeUndefined()
  })
})
