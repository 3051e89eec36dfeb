import { and, eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { snapshotOf } from '../../inventory/sync/inventory-sync.ts'
import { syncCluster } from '../../inventory/sync/sync-cluster.ts'
import { type SimApp, testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { addSimCluster, startTestSim } from '../../testing/with-sim.ts'

/** The version of each row, by table: a row written again, even with the same values, differs. */
async function versions(t: SimApp) {
  const of = async (table: string) => {
    const result = await t.db.execute(sql.raw(`select id, xmin::text as version from ${table}`))
    const { rows } = result as unknown as { rows: { id: number; version: string }[] }
    return rows.toSorted((a, b) => a.id - b.id)
  }
  return [await of('nodes'), await of('templates'), await of('instances'), await of('clusters')]
}

const byVm = async (t: SimApp, vmId: number) =>
  (
    await t.db
      .select({ instance: instances, node: nodes.name })
      .from(instances)
      .leftJoin(nodes, eq(nodes.id, instances.nodeId))
      .where(and(eq(instances.clusterId, t.cluster.id), eq(instances.vmId, vmId)))
  )[0]

describe.each(EACH_DATABASE)('a sync on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const admin = t.as(await t.make.admin())
  const sync = () => admin.call(api.sync.proxmox)

  test('reads nodes, templates and instances', async () => {
    expect(await sync()).toEqual({ message: 'Synced 2 nodes, 6 templates and 12 instances.' })
    expect(await admin.call(api.sync.instances)).toEqual({ message: 'Synced 12 instances.' })
    const shown = await admin.call(api.instances.list)
    const states = Object.fromEntries(shown.map(({ vmId, status }) => [vmId, status]))
    expect(states).toMatchObject({
      100: 'running',
      103: 'stopped',
      104: 'paused',
      105: 'suspended',
      106: 'busy',
      107: 'error',
    })
    const [template] = await admin.call(api.templates.list)
    expect(template).toMatchObject({
      name: 'ubuntu-22.04',
      templateId: 9000,
      osType: 'l26',
      description: 'Template of ubuntu-22.04',
    })
  })

  test('writes no row if nothing has changed', async () => {
    await sync()
    const before = await versions(t)
    await sync()
    await admin.call(api.nodes.sync, { params: { id: t.cluster.id } })
    expect(await versions(t)).toEqual(before)
  })

  test('follows a VM that moved, a new name and a new state, writing only that row', async () => {
    const before = await versions(t)
    t.sim.state.moveVm(103, 'pve2')
    const vm = t.sim.state.vms.get(103)
    if (vm) vm.config = { ...vm.config, name: 'renamed' }
    await sync()
    expect(await byVm(t, 103)).toMatchObject({ node: 'pve2', instance: { name: 'renamed' } })
    t.sim.state.crashVm(100)
    await sync()
    expect((await byVm(t, 100))?.instance.status).toBe('stopped')
    const after = await versions(t)
    const changed = after[2]?.filter(({ version }, at) => before[2]?.[at]?.version !== version)
    expect(changed).toHaveLength(2)
  })

  test("keeps an admin's name if the cluster's is only its DNS form", async () => {
    await t.db.update(instances).set({ name: 'Old  Agent' }).where(eq(instances.vmId, 111))
    await sync()
    expect((await byVm(t, 111))?.instance.name).toBe('Old  Agent')
  })

  test('marks vanished VMs as missing, deletes nothing, and restores them when they are back', async () => {
    const vm = t.sim.state.vms.get(109)
    const template = t.sim.state.vms.get(9005)
    if (!vm || !template) throw new Error('the demo has changed')
    t.sim.state.vms.delete(109)
    t.sim.state.vms.delete(9005)
    await sync()
    expect((await byVm(t, 109))?.instance.missingSince).toBeInstanceOf(Date)
    const shown = await admin.call(api.instances.list)
    expect(shown.find(({ vmId }) => vmId === 109)).toMatchObject({ status: 'missing', uptime: 0 })
    expect((await admin.call(api.templates.list)).some((row) => row.templateId === 9005)).toBe(
      false,
    )
    expect(await t.db.select().from(templates)).toHaveLength(6)
    t.sim.state.vms.set(109, vm)
    t.sim.state.vms.set(9005, template)
    await sync()
    expect((await byVm(t, 109))?.instance.missingSince).toBeNull()
    expect(await admin.call(api.templates.list)).toHaveLength(6)
  })

  test('does not take lost permissions for lost VMs', async () => {
    const params = { id: t.cluster.id }
    const { hypervisors, links } = t.deps
    const poor = { username: 'viewer@pve!nothing', secret: '00000000-0000-4000-8000-000000000000' }
    const certificate = { fingerprint: t.sim.fingerprint, pem: t.sim.certPem }
    await hypervisors.connect(t.cluster.id, { ...t.sim, certificate, ...poor })
    await admin.call(api.nodes.sync, { params })
    const rows = await t.db.select().from(instances)
    expect(rows.filter(({ missingSince }) => missingSince !== null)).toEqual([])
    const shown = await admin.call(api.instances.list)
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['unknown']))
    await links.stop()
    const rich = { username: t.sim.apiToken.id, secret: t.sim.apiToken.secret }
    await hypervisors.connect(t.cluster.id, { ...t.sim, certificate, ...rich })
    await sync()
  })

  test('leaves a VM with an action in progress alone', async () => {
    const held = { status: 'starting', lastUpdated: t.deps.clock.now() }
    await t.db.update(instances).set(held).where(eq(instances.vmId, 103))
    await sync()
    expect((await byVm(t, 103))?.instance).toMatchObject(held)
    const stale = { status: 'starting', lastUpdated: new Date(Date.now() - 6 * 60_000) }
    await t.db.update(instances).set(stale).where(eq(instances.vmId, 103))
    await sync()
    expect((await byVm(t, 103))?.instance.status).toBe('stopped')
  })

  test('by two processes at once is done by one of them', async () => {
    const snapshot = snapshotOf(t.deps.hypervisors.of(t.cluster.id))
    if (!snapshot) throw new Error('no inventory')
    await t.db.delete(instances)
    const results = await Promise.all(
      Array.from({ length: 4 }, () => syncCluster(t.deps, t.cluster.id, snapshot)),
    )
    const written = results.map((result) => result?.written.instances ?? 0)
    expect(written.reduce((sum, one) => sum + one, 0)).toBe(12)
    expect(await t.db.select().from(instances)).toHaveLength(12)
  })
})

describe('the background sync', async () => {
  const t = await testApp({ sim: true })

  test('stores the result of a poll, and notifies the pages', async () => {
    t.deps.sync.start()
    const told: string[][] = []
    t.deps.events.subscribe(['admins'], ({ body }) => {
      if (body.type === 'changed') told.push(body.nouns)
    })
    const { inventory } = t.deps.hypervisors.of(t.cluster.id)
    t.sim.state.crashVm(101)
    await inventory.refresh()
    await t.deps.background.idle()
    expect((await byVm(t, 101))?.instance.status).toBe('stopped')
    await vi.waitFor(() => expect(told).toContainEqual(['instances']))

    const before = await versions(t)
    await inventory.refresh()
    await t.deps.background.idle()
    expect(await versions(t)).toEqual(before)
  })

  test('records once that a cluster is unreachable, and that it is back', async () => {
    const { inventory } = t.deps.hypervisors.of(t.cluster.id)
    const problem = async () => (await t.db.select().from(clusters))[0]?.lastError
    t.sim.faults.add({ kind: 'refuse' })
    await inventory.refresh()
    await t.deps.background.idle()
    expect(await problem()).toMatch(/refused the connection/)
    const before = await versions(t)
    await inventory.refresh()
    await t.deps.background.idle()
    expect(await versions(t)).toEqual(before)
    t.sim.faults.clear()
    await inventory.refresh()
    await t.deps.background.idle()
    expect(await problem()).toBeNull()
  })
})

describe('two clusters', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const other = await startTestSim()
  afterAll(() => other.close())
  const second = await addSimCluster(t.deps, other, { name: 'Second' })

  test('do not delay each other if one never answers', async () => {
    t.sim.faults.add({ kind: 'black-hole' })
    other.state.crashVm(100)
    const { message } = await admin.call(api.sync.proxmox)
    expect(message).toBe(
      'Synced 2 nodes, 6 templates and 12 instances. Test: The cluster did not answer in time.',
    )
    const shown = await admin.call(api.instances.list)
    const here = shown.filter(({ vmId }) => vmId === 100).map(({ status }) => status)
    expect(here).toEqual(['running', 'stopped'])
    const nodeSync = await admin.attempt(api.nodes.sync, { params: { id: t.cluster.id } })
    expect(nodeSync).toMatchObject({ status: 503, body: { code: 'CLUSTER_UNAVAILABLE' } })
    t.sim.faults.clear()
  })

  test('fail the sync with both reasons if both are unreachable', async () => {
    t.sim.faults.add({ kind: 'refuse' })
    other.faults.add({ kind: 'refuse' })
    const answer = await admin.attempt(api.sync.proxmox)
    expect(answer).toMatchObject({ status: 503, body: { code: 'CLUSTER_UNAVAILABLE' } })
    expect(answer.body.message).toMatch(/Test: .* Second: /)
    expect(await admin.call(api.clusters.state)).toEqual({ state: 'degraded' })
    t.sim.faults.clear()
    other.faults.clear()
  })

  test('are not found if unknown, and having none is reported', async () => {
    const gone = await admin.attempt(api.nodes.sync, { params: { id: 2_000_000_000 } })
    expect(gone.status).toBe(404)
    await admin.call(api.clusters.remove, { params: { id: second.id } })
    await admin.call(api.clusters.remove, { params: { id: t.cluster.id } })
    expect(await admin.call(api.sync.proxmox)).toEqual({ message: 'No cluster is connected.' })
  })
})
