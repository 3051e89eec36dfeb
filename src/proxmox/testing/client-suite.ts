import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TaskProgress } from '../calls/task-wait.ts'
import type { ProxmoxClient } from '../client.ts'
import { hasMarker } from '../find.ts'
import { failureOf } from './failure-of.ts'
import { guard, keep, limit, type Vm } from './vm-acts.ts'

/** A cluster to test against: the simulator, or a real one. */
export type Target = {
  client: ProxmoxClient
  /**
   * A template that may be cloned and whose clones may be destroyed; without one the suite only
   * reads.
   */
  template: number | undefined
  close(): Promise<void>
}

/** The behaviour of the client on every cluster. Leaves nothing behind. */
export function clientSuite(open: () => Promise<Target>): void {
  let target: Target
  let client: ProxmoxClient
  beforeAll(async () => {
    target = await open()
    client = target.client
  })
  afterAll(async () => {
    await target?.client.close()
    await target?.close()
  })

  describe('reading', () => {
    it('reads version and privileges', async () => {
      expect((await client.version.get()).major).toBeGreaterThan(6)
      expect((await client.access.permissions()).size).toBeGreaterThan(0)
    })

    it('reads the cluster', async () => {
      const status = await client.cluster.status()
      expect(status.isQuorate).toBe(true)
      expect(status.nodes.some((node) => node.isOnline && node.isLocal)).toBe(true)
      const resources = await client.cluster.resources()
      expect(new Set(resources.map((entry) => entry.type))).toContain('node')
      const next = await client.cluster.nextId()
      expect(next).toBeGreaterThanOrEqual(100)
      expect(await client.cluster.isFree(next)).toBe(true)
      const [vm] = (await client.cluster.resources({ type: 'vm' })).filter((entry) => entry.vmid)
      if (vm?.vmid) expect(await client.cluster.isFree(vm.vmid)).toBe(false)
      await client.cluster.tasks()
    })

    it('reads every node', async () => {
      const nodes = await client.nodes.list()
      for (const { node, status, ssl_fingerprint: print } of nodes) {
        expect(print).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
        if (status !== 'online') continue
        expect((await client.nodes.status(node)).memory?.total).toBeGreaterThan(0)
        expect((await client.nodes.storage(node)).length).toBeGreaterThan(0)
        expect((await client.nodes.network(node, { type: 'any_bridge' })).length).toBeGreaterThan(0)
        expect((await client.nodes.rrddata(node, 'hour')).length).toBeGreaterThan(0)
        for (const task of await client.tasks.list(node, { limit: 3 })) {
          await client.tasks.status(task.upid)
          await client.tasks.log(task.upid)
        }
      }
    })

    it('reads every VM, in the list and on its own', async () => {
      for (const { type, node, vmid } of await client.cluster.resources({ type: 'vm' })) {
        if (type !== 'qemu' || node === undefined || vmid === undefined) continue
        const listed = (await client.qemu.list(node)).find((entry) => entry.vmid === vmid)
        const status = await client.qemu.status({ node, vmid })
        expect(status.status).toBe(listed?.status === 'stopped' ? 'stopped' : 'running')
        expect((await client.qemu.config({ node, vmid })).digest).toMatch(/^[0-9a-f]{40}$/)
        await client.qemu.pending({ node, vmid })
        await client.qemu.rrddata({ node, vmid }, 'hour')
        expect(await client.find.locate(vmid)).toEqual({ node, vmid })
      }
    })

    it('tells a missing object from a failure', async () => {
      const { nodes } = await client.cluster.status()
      const node = nodes.find((entry) => entry.isLocal)?.name ?? ''
      const nobody = { node, vmid: await client.cluster.nextId() }
      expect(await failureOf(client.qemu.status(nobody))).toEqual({ kind: 'not-found', what: 'vm' })
      expect(await failureOf(client.qemu.config(nobody))).toEqual({ kind: 'not-found', what: 'vm' })
      expect(await client.find.locate(nobody.vmid)).toBeUndefined()
      const invalid = client.nodes.rrddata(node, 'fortnight' as 'week')
      expect(await failureOf(invalid)).toMatchObject({ kind: 'invalid' })
    })
  })

  it('takes one VM through its whole life', async ({ skip }) => {
    if (target.template === undefined) return skip('no template to clone')
    await lifeOfOneVm(client, target.template)
  })
}

async function lifeOfOneVm(client: ProxmoxClient, templateId: number): Promise<void> {
  const template = await client.find.locate(templateId)
  if (!template) throw new Error(`no template ${templateId}`)
  const vm = { node: template.node, vmid: await client.cluster.nextId() }
  const marker = `hushbox-test-${vm.vmid}-${Date.now()}`
  const done = async (task: Promise<string | undefined>) => {
    const upid = await task
    if (upid !== undefined) await client.tasks.wait(upid)
  }
  const seen: TaskProgress[] = []
  const order = { newid: vm.vmid, name: 'hushbox-test', description: `ours: ${marker}`, full: true }
  await client.tasks.wait(await client.qemu.clone(template, order), {
    onProgress: (progress) => seen.push(progress),
  })
  try {
    expect(seen.length).toBeGreaterThan(0)
    const found = await client.find.byMarker(marker, vm)
    expect(found).toMatchObject(vm)
    const tasks = await client.tasks.list(vm.node, { vmid: templateId, type: 'qmclone' })
    expect(tasks[0]?.status).toBe('OK')
    await configure(client, vm, done)
    await guard(client, vm)
    await limit(client, vm, done)
    await done(client.qemu.start(vm))
    expect((await client.qemu.status(vm)).status).toBe('running')
    await watch(client, vm)
    await keep(client, vm, done)
    await done(client.qemu.setConfig(vm, { set: { cores: 1 } }))
    const cores = (await client.qemu.pending(vm)).find((entry) => entry.key === 'cores')
    expect(cores).toMatchObject({ value: '2', pending: '1' })
    await done(client.qemu.reset(vm))
    await done(client.qemu.suspend(vm))
    expect((await client.qemu.status(vm)).qmpstatus).toBe('paused')
    await done(client.qemu.resume(vm))
    await done(client.qemu.shutdown(vm, { timeoutSeconds: 20, forceStop: true }))
  } finally {
    await done(client.qemu.stop(vm, { overruleShutdown: true }))
    await done(client.qemu.remove(vm))
  }
  expect(await failureOf(client.qemu.config(vm))).toEqual({ kind: 'not-found', what: 'vm' })
}

async function configure(
  client: ProxmoxClient,
  vm: Vm,
  done: (task: Promise<string | undefined>) => Promise<void>,
): Promise<void> {
  const before = await client.qemu.config(vm)
  const set = { cores: 2, memory: 1024, ciuser: 'alice & bob; = +', ciupgrade: false, onboot: true }
  await done(client.qemu.setConfig(vm, { set, digest: before.digest }))
  const after = await client.qemu.config(vm)
  expect(after.values).toMatchObject({
    cores: '2',
    memory: '1024',
    ciuser: set.ciuser,
    onboot: '1',
  })
  expect(hasMarker(after, before.values.description?.split(' ').at(-1) ?? '')).toBe(true)
  const late = client.qemu.setConfig(vm, { set: { cores: 4 }, digest: before.digest })
  expect(await failureOf(late)).toEqual({ kind: 'changed-meanwhile' })
  await done(client.qemu.setConfig(vm, { unset: ['onboot'] }))
  expect((await client.qemu.config(vm)).values.onboot).toBeUndefined()
  const disk = ['scsi0', 'virtio0', 'sata0', 'ide0'].find((key) => key in after.values) ?? ''
  await done(client.qemu.resize(vm, { disk, size: '+1G' }))
  expect((await client.qemu.config(vm)).values[disk]).not.toBe(after.values[disk])
}

async function watch(client: ProxmoxClient, vm: Vm): Promise<void> {
  const { stream, password } = await client.vnc.open(vm)
  const [greeting] = await once(stream, 'data')
  expect(String(greeting)).toMatch(/^RFB 003\.\d{3}\n/)
  expect(password.length).toBeGreaterThanOrEqual(8)
  stream.destroy()
}
