import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe('nodes', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const nodeId = async (name: string) =>
    (await t.db.select().from(nodes).where(eq(nodes.name, name)))[0]?.id ?? 0

  test('show live figures with their date', async () => {
    const shown = await admin.call(api.nodes.list)
    expect(shown.map(({ name, status, vmCount }) => [name, status, vmCount])).toEqual([
      ['pve1', 'online', 6],
      ['pve2', 'online', 6],
    ])
    const [node] = shown
    expect(node?.cpuUsage).toBeLessThan(1)
    expect(node?.memoryUsage).toBeGreaterThan(1)
    expect(node?.diskUsage).toBeLessThan(100)
    expect(Date.parse(node?.lastUpdated ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  test('have templates and a history', async () => {
    const params = { id: await nodeId('pve1') }
    const made = await admin.call(api.nodes.templates, { params })
    expect(made.map(({ templateId }) => templateId)).toEqual([9000, 9001, 9002, 9003, 9004, 9005])
    const none = { id: await nodeId('pve2') }
    expect(await admin.call(api.nodes.templates, { params: none })).toEqual([])
    for (const period of ['hour', 'day', 'week', 'month'] as const) {
      const points = await admin.call(api.nodes.metrics, { params, query: { period } })
      expect(points.length).toBeGreaterThan(10)
      expect(points.some(({ memoryTotal }) => memoryTotal !== null)).toBe(true)
    }
  })

  test('answer 404 if they do not exist', async () => {
    const params = { id: 2_000_000_000 }
    expect((await admin.attempt(api.nodes.templates, { params })).status).toBe(404)
    expect((await admin.attempt(api.nodes.metrics, { params })).status).toBe(404)
  })

  test('are offline if they went off, and unknown if their cluster is unreachable', async () => {
    t.sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    await admin.call(api.sync.proxmox)
    const shown = await admin.call(api.nodes.list)
    expect(shown.map(({ status }) => status)).toEqual(['online', 'offline'])
    expect(await admin.call(api.clusters.state)).toEqual({ state: 'degraded' })
    t.sim.faults.clear()
    const away = await testApp({ on: t.database })
    const last = await away.as(await away.make.admin()).call(api.nodes.list)
    expect(last.map(({ status, memoryTotal }) => [status, memoryTotal])).toEqual(
      shown.map(({ memoryTotal }) => ['unknown', memoryTotal]),
    )
  })
})

describe.each(EACH_DATABASE)('templates on %s', async (database) => {
  const t = await testApp({ database, sim: true, withJobs: true })
  const admin = t.as(await t.make.admin())
  const [template] = await admin.call(api.templates.list)
  const params = { id: template?.id ?? 0 }
  const soon = { timeout: 20_000 }
  const jobOf = async (id: string) => (await t.db.select().from(jobs).where(eq(jobs.id, id)))[0]
  const clone = (name: string) => admin.call(api.templates.clone, { params, body: { name } })
  const made = (name: string) => t.db.select().from(instances).where(eq(instances.name, name))

  test('are configured, and only the given fields change', async () => {
    expect(await admin.call(api.templates.config, { params })).toEqual({
      memory: 2048,
      cores: 2,
      description: 'Template of ubuntu-22.04',
      onboot: 0,
    })
    const body = { memory: 4096, description: 'Jammy', onboot: 1 } as const
    const changed = await admin.call(api.templates.setConfig, { params, body })
    expect(changed).toEqual({ memory: 4096, cores: 2, description: 'Jammy', onboot: 1 })
    expect((await admin.call(api.templates.list))[0]?.description).toBe('Jammy')
  })

  test('lose their description when it is emptied', async () => {
    const described = { params, body: { description: 'Only for now' } }
    await admin.call(api.templates.setConfig, described)
    const cleared = { params, body: { description: '' } }
    expect((await admin.call(api.templates.setConfig, cleared)).description).toBe('')
    expect(t.sim.state.vms.get(template?.templateId ?? 0)?.config).not.toHaveProperty('description')
  })

  test('are cloned by a job, and the VM becomes an instance', async () => {
    const { jobId } = await clone('First clone')
    expect((await made('First clone'))[0]).toMatchObject({ templateId: params.id })
    await vi.waitFor(async () => expect((await jobOf(jobId))?.state).toBe('done'), soon)
    await admin.call(api.sync.proxmox)
    const rows = await made('First clone')
    expect(rows).toHaveLength(1)
    const [row] = rows
    expect(row).toMatchObject({ vmId: 10_000, status: 'stopped', missingSince: null })
    expect(row?.uuid).toMatch(/^[0-9a-f-]{36}$/)
    const vm = t.sim.state.vms.get(10_000)
    expect(vm?.config).toMatchObject({ name: 'first-clone', description: row?.marker })
    const shown = await admin.call(api.instances.list)
    expect(shown.filter(({ vmId }) => vmId === 10_000)).toHaveLength(1)
  })

  test('get different ids for concurrent clones', async () => {
    const names = ['a', 'b', 'c', 'd'].map((letter) => `Many ${letter}`)
    const ids = await Promise.all(names.map(async (name) => (await clone(name)).jobId))
    for (const id of ids) {
      await vi.waitFor(async () => expect((await jobOf(id))?.state).toBe('done'), soon)
    }
    const vms = (await Promise.all(names.map(made))).flat().map(({ vmId }) => vmId)
    expect(new Set(vms).size).toBe(4)
    expect(vms.every((vmId) => t.sim.state.vms.has(vmId))).toBe(true)
  })

  test('skip an id that another VM has on the cluster', async () => {
    const foreign = t.sim.state.vms.get(103)
    if (!foreign) throw new Error('the demo has changed')
    const next = Math.max(...t.sim.state.vms.keys()) + 1
    t.sim.state.vms.set(next, { ...structuredClone(foreign), vmid: next })
    const { jobId } = await clone('Passed over')
    await vi.waitFor(async () => expect((await jobOf(jobId))?.state).toBe('done'), soon)
    const [row] = await made('Passed over')
    expect(row?.vmId).not.toBe(next)
    expect(t.sim.state.vms.get(next)?.config.description).not.toBe(row?.marker)
  })

  test('leave nothing behind if a clone fails, and the job says why', async () => {
    const before = t.sim.state.vms.size
    t.sim.faults.add({ kind: 'task-error', path: '/clone', message: 'no space left on storage' })
    const { jobId } = await clone('Impossible')
    await vi.waitFor(async () => expect((await jobOf(jobId))?.state).toBe('failed'), soon)
    t.sim.faults.clear()
    expect(await made('Impossible')).toEqual([])
    expect(t.sim.state.vms.size).toBe(before)
    const listed = await admin.call(api.jobs.list)
    expect(listed.find(({ id }) => id === jobId)).toMatchObject({
      state: 'failed',
      error: expect.any(String),
    })
  })

  test('answer 404 if they do not exist', async () => {
    const gone = { id: 2_000_000_000 }
    const answers = await Promise.all([
      admin.attempt(api.templates.config, { params: gone }),
      admin.attempt(api.templates.setConfig, { params: gone, body: { cores: 1 } }),
      admin.attempt(api.templates.clone, { params: gone, body: { name: 'x' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})
