import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('the storage for backups of a cluster, on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const admin = t.as(await t.make.admin())
  const params = { id: t.cluster.id }

  const choose = async (backupStorage: string | null) => {
    const [cluster] = await admin.call(api.clusters.list)
    if (!cluster) throw new Error('no cluster')
    const body = { settings: { ...cluster.settings, backupStorage } }
    return await admin.attempt(api.clusters.update, { params, body })
  }
  const refused = (message: string) => ({
    status: 400,
    body: { message, details: [{ path: 'settings.backupStorage', message }] },
  })

  test('is one that the cluster has and that takes backups', async () => {
    expect(await choose('nowhere')).toMatchObject(
      refused('The cluster has no storage nowhere for backups.'),
    )
    expect(await choose('ceph-vm')).toMatchObject(
      refused(
        'The storage ceph-vm takes no backups. Allow VZDump backup files on it in Proxmox, or choose another one.',
      ),
    )
    expect(await choose('local')).toMatchObject({ status: 200 })
    expect(await choose(null)).toMatchObject({ status: 200 })
  })

  test('is on every node that has servers', async () => {
    const local = t.sim.state.storages.get('local')
    if (!local) throw new Error('no storage')
    local.nodes = ['pve1']
    const [node] = await t.db
      .select()
      .from(nodes)
      .where(and(eq(nodes.clusterId, params.id), eq(nodes.name, 'pve2')))
    const [one] = await t.db.select().from(instances).limit(1)
    if (!node || !one) throw new Error('the simulator was not read')
    const isIt = eq(instances.id, one.id)
    await t.db.update(instances).set({ nodeId: node.id, marker: 'ours' }).where(isIt)
    expect(await choose('local')).toMatchObject(
      refused('The storage local is not on pve2, where servers are: they could not be backed up.'),
    )
    // Nothing of ours is there any more.
    await t.db.update(instances).set({ marker: null }).where(isIt)
    expect(await choose('local')).toMatchObject({ status: 200 })
    delete local.nodes
  })

  test('that was chosen before can be saved again while the cluster is away', async () => {
    expect(await choose('local')).toMatchObject({ status: 200 })
    t.sim.faults.add({ kind: '595', path: '/storage' })
    expect(await choose('local')).toMatchObject({ status: 200 })
    expect((await choose(null)).status).toBe(200)
    expect((await choose('local')).status).toBeGreaterThanOrEqual(500)
    t.sim.faults.clear()
    expect(await choose('local')).toMatchObject({ status: 200 })
  })

  const left = (vmId: number, instanceId: number | null = null) =>
    t.db.insert(backups).values({
      instanceId,
      clusterId: params.id,
      vmId,
      name: 'Left',
      key: `hb-${vmId}-${instanceId}`,
      storage: 'local',
      osType: 'Debian 12',
      username: 'root',
      loginMark: '',
    })

  test('has archives of former servers, and the doctor names the VMs that have their ids', async () => {
    const reused = async () => (await admin.call(api.clusters.diagnosis, { params })).reused
    const [own, lost] = await t.db.select().from(instances).limit(2)
    if (!own || !lost) throw new Error('the simulator was not read')
    await left(own.vmId, own.id)
    await left(4711)
    expect(await reused()).toEqual([])
    await left(100)
    expect(await reused()).toEqual([{ vmId: 100, name: expect.any(String), storages: ['local'] }])
    await t.db.delete(backups).where(eq(backups.vmId, 100))
    await left(lost.vmId, lost.id)
    const isLost = eq(instances.id, lost.id)
    await t.db.update(instances).set({ missingSince: new Date() }).where(isLost)
    expect(await reused()).toMatchObject([{ vmId: lost.vmId }])
  })

  test('is forgotten with its cluster, and so are its archives', async () => {
    await left(4712)
    await admin.call(api.clusters.remove, { params })
    expect(await t.db.select().from(backups)).toEqual([])
    expect(await admin.call(api.backupOverview.get)).toMatchObject({ left: [], storages: [] })
  })
})
