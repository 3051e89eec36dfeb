import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

describe('the list of instances', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())

  test('shows live figures, the token and the node, but no secret', async () => {
    const client = await t.make.client()
    await t.make.owned(t.cluster, 100, client)
    await admin.call(api.sync.instances)
    const shown = await admin.call(api.instances.list)
    expect(shown.find(({ vmId }) => vmId === 100)).toMatchObject({
      name: 'web-frontend',
      status: 'running',
      ownerId: client.id,
      monthlyPrice: '5.35',
      node: { name: 'pve1' },
      token: { durationDays: 30, username: 'root' },
      uptime: expect.any(Number),
      cpuUsage: expect.any(Number),
    })
    expect(JSON.stringify(shown)).not.toContain(VM_PASSWORD)
  })

  test('can be filtered by one node', async () => {
    const [node] = await t.db.select().from(nodes).where(eq(nodes.name, 'pve2'))
    const shown = await admin.call(api.instances.list, { query: { nodeId: node?.id } })
    expect(shown.map(({ vmId }) => vmId)).toEqual([106, 107, 108, 109, 110, 111])
  })

  test('of a node that is off shows unknown, never stopped', async () => {
    t.sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    await admin.call(api.sync.instances)
    const shown = await admin.call(api.instances.list)
    const there = shown.filter(({ node }) => node?.name === 'pve2')
    expect(new Set(there.map(({ status }) => status))).toEqual(new Set(['unknown']))
    t.sim.faults.clear()
  })

  test('of a cluster that never answered shows unknown, with the stored data', async () => {
    const two = await testApp({ on: t.database })
    const shown = await two.as(await two.make.admin()).call(api.instances.list)
    expect(shown).toHaveLength(12)
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['unknown']))
    expect(shown[0]?.lastUpdated).not.toBeNull()
  })
})

describe('the configuration', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const [row] = await t.db.select().from(instances).where(eq(instances.vmId, 100))
  const params = { id: row?.id ?? 0 }
  const configOf = (vmId: number) => t.sim.state.vms.get(vmId)?.config ?? {}

  test("is that of the VM, in the form's fields", async () => {
    expect(await admin.call(api.instances.config, { params })).toMatchObject({
      memory: 8192,
      cores: 4,
      machine: 'i440fx',
      bootdisk: 'scsi0',
      onboot: 1,
      agent: 1,
      protection: 0,
      digest: expect.stringMatching(/^[0-9a-f]{40}$/),
      pending: [],
    })
  })

  test('changes only what differs, keeps unknown values, and lists what is pending', async () => {
    const before = { ...configOf(100) }
    const current = await admin.call(api.instances.config, { params })
    const { pending: _, ...form } = current
    const body = { ...form, memory: 4096, onboot: 0, agent: 1 } as const
    const changed = await admin.call(api.instances.setConfig, { params, body })
    expect(changed).toMatchObject({ onboot: 0, pending: expect.arrayContaining(['memory']) })
    expect(configOf(100)).toMatchObject({ agent: before.agent, scsi0: before.scsi0 })
    const logged = await t.db.select().from(auditLog)
    expect(logged.at(-1)).toMatchObject({ action: 'instance.configure' })
  })

  test('is not overwritten if it changed meanwhile', async () => {
    const body = { cores: 2, digest: '0'.repeat(40) }
    const answer = await admin.attempt(api.instances.setConfig, { params, body })
    expect(answer).toMatchObject({ status: 409, body: { code: 'CHANGED_MEANWHILE' } })
  })

  test.each([
    [{ cores: 33 }, 'Cores must be 1 to 32'],
    [{ memory: 100 }, 'Memory must be at least 512 MB'],
    [{ bootdisk: 'scsi9' }, 'This VM has no disk scsi9.'],
  ])('%j is refused', async (body, message) => {
    const answer = await admin.attempt(api.instances.setConfig, { params, body })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  })
})

describe('deleting', async () => {
  const t = await testApp({ sim: true, withJobs: true })
  const admin = t.as(await t.make.admin())
  const find = async (vmId: number) =>
    (await t.db.select().from(instances).where(eq(instances.vmId, vmId)))[0]
  const clone = async (name: string) => {
    const [template] = await admin.call(api.templates.list)
    await admin.call(api.templates.clone, { params: { id: template?.id ?? 0 }, body: { name } })
    const made = async () =>
      (await t.db.select().from(instances).where(eq(instances.name, name)))[0]
    await vi.waitFor(async () => expect((await made())?.status).toBe('stopped'), {
      timeout: 20_000,
    })
    const row = await made()
    if (!row) throw new Error('no clone')
    return row
  }

  test('refuses a client’s instance', async () => {
    const { instance } = await t.make.owned(t.cluster, 100, await t.make.client())
    const answer = await admin.attempt(api.instances.remove, { params: { id: instance.id } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    expect(t.sim.state.vms.has(100)).toBe(true)
  })

  test('also destroys a VM that was made elsewhere, which does not come back', async () => {
    const row = await find(103)
    await admin.call(api.instances.remove, { params: { id: row?.id ?? 0 } })
    await vi.waitFor(async () => expect(await find(103)).toBeUndefined(), { timeout: 20_000 })
    expect(t.sim.state.vms.has(103)).toBe(false)
    await admin.call(api.sync.instances)
    expect(await find(103)).toBeUndefined()
  })

  test('refuses such a VM if its name has changed', async () => {
    const row = await find(104)
    const vm = t.sim.state.vms.get(104)
    if (vm) vm.config = { ...vm.config, name: 'renamed' }
    await admin.call(api.instances.remove, { params: { id: row?.id ?? 0 } })
    const job = async () =>
      (
        await t.db
          .select()
          .from(jobs)
          .where(eq(jobs.title, `Delete ${row?.name}`))
      )[0]
    await vi.waitFor(async () => expect((await job())?.state).toBe('failed'), { timeout: 20_000 })
    expect((await job())?.failure?.message).toMatch(/is called renamed by now/)
    expect(t.sim.state.vms.has(104)).toBe(true)
    expect((await find(104))?.status).not.toBe('deleting')
  })

  test('of a vanished VM deletes only the record', async () => {
    const row = await find(105)
    t.sim.state.vms.delete(105)
    await admin.call(api.sync.instances)
    await admin.call(api.instances.remove, { params: { id: row?.id ?? 0 } })
    expect(await find(105)).toBeUndefined()
  })

  test('destroys a VM we made, and only then deletes the record', async () => {
    const row = await clone('To be destroyed')
    expect(t.sim.state.vms.get(row.vmId)?.config.description).toContain(row.marker)
    await admin.call(api.instances.remove, { params: { id: row.id } })
    await vi.waitFor(() => expect(t.sim.state.vms.has(row.vmId)).toBe(false), { timeout: 20_000 })
    await vi.waitFor(async () => expect(await find(row.vmId)).toBeUndefined(), { timeout: 20_000 })
  })

  test('leaves another VM alone that took the id of ours meanwhile', async () => {
    const row = await clone('Replaced')
    const vm = t.sim.state.vms.get(row.vmId)
    if (vm) vm.config = { ...vm.config, description: 'somebody else' }
    await admin.call(api.instances.remove, { params: { id: row.id } })
    await vi.waitFor(async () => expect(await find(row.vmId)).toBeUndefined(), { timeout: 20_000 })
    expect(t.sim.state.vms.has(row.vmId)).toBe(true)
  })

  test('keeps a protected VM, and the job says why', async () => {
    const row = await clone('Protected')
    const vm = t.sim.state.vms.get(row.vmId)
    if (vm) vm.config = { ...vm.config, protection: '1' }
    await admin.call(api.instances.remove, { params: { id: row.id } })
    const job = async () => {
      const rows = await t.db.select().from(jobs).where(eq(jobs.title, 'Delete Protected'))
      return rows[0]
    }
    await vi.waitFor(async () => expect((await job())?.state).toBe('failed'), { timeout: 20_000 })
    expect((await job())?.failure?.message).toMatch(/protected/)
    expect((await find(row.vmId))?.status).not.toBe('deleting')
    expect(t.sim.state.vms.has(row.vmId)).toBe(true)
  })
})
