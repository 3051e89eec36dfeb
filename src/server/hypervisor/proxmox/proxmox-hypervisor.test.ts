import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { connectionTo, impatient, soon, startCluster } from '../testing/sim-cluster.ts'
import { proxmoxHypervisor } from './proxmox-hypervisor.ts'

const MARKER = 'hushbox:order-7'
const order = { vmId: 500, marker: MARKER, name: 'Shop', isFull: true, template: { vmId: 9004 } }

describe.each(['7.4', '8.4', '9.1'] as const)('a Proxmox VE %s cluster', (version) => {
  let sim: Sim
  let hypervisor: Hypervisor
  beforeAll(async () => {
    sim = await startCluster({ version })
    hypervisor = proxmoxHypervisor(connectionTo(sim), impatient)
  })
  afterEach(() => sim.faults.clear())
  afterAll(async () => {
    await hypervisor.close()
    await sim.close()
  })

  it('is listed in our terms', async () => {
    const { nodes, vms, templates, storages, isQuorate } = await hypervisor.listInventory()
    expect(nodes.map(({ name, state, vmCount }) => [name, state, vmCount])).toEqual([
      ['pve1', 'online', 6],
      ['pve2', 'online', 6],
    ])
    const states = Object.fromEntries(vms.map((vm) => [vm.vmId, vm.state]))
    expect(states).toMatchObject({ 100: 'running', 103: 'stopped', 104: 'paused', 107: 'error' })
    // The resource list shows locks since 8.x only.
    if (version !== '7.4') expect(states).toMatchObject({ 105: 'suspended', 106: 'busy' })
    expect(templates.map((vm) => vm.vmId)).toContain(9004)
    expect(isQuorate).toBe(true)
    expect(storages.filter((storage) => storage.name === 'ceph-vm')).toHaveLength(1)
    expect(nodes.every((node) => (node.storageTotal ?? 0) > 0)).toBe(true)
  })

  it('reports a node that is off without reporting its VMs as stopped', async () => {
    sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    const { nodes, vms } = await hypervisor.listInventory()
    expect(nodes.find((node) => node.name === 'pve2')?.state).toBe('offline')
    const states = new Set(vms.filter((vm) => vm.node === 'pve2').map((vm) => vm.state))
    expect(states).toEqual(new Set(['unknown']))
    const asked = hypervisor.vm({ vmId: 108, node: 'pve2' })
    await expect(asked).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' })
  })

  it('starts and stops a VM, and treats "already in that state" as success', async () => {
    const vm = { vmId: 103, node: 'pve1' }
    expect(await hypervisor.power(vm, 'start')).toMatchObject({ state: 'running' })
    expect(await hypervisor.power(vm, 'start')).toMatchObject({ state: 'running' })
    expect(await hypervisor.power(vm, 'restart')).toMatchObject({ state: 'running' })
    expect(await hypervisor.power(vm, 'shutdown')).toMatchObject({ state: 'stopped' })
    expect(await hypervisor.power(vm, 'shutdown')).toMatchObject({ state: 'stopped' })
    expect(await hypervisor.power(vm, 'stop')).toMatchObject({ state: 'stopped' })
    await expect(hypervisor.power(vm, 'restart')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  it('waits for the effect if HA only accepts a request', async () => {
    const vm = { vmId: 110 }
    expect(await hypervisor.power(vm, 'start')).toMatchObject({ state: 'running' })
    expect(await hypervisor.power(vm, 'stop')).toMatchObject({ state: 'stopped' })
  })

  it('stops a VM although a shutdown is still waiting for its guest', async () => {
    const vm = { vmId: 109, node: 'pve2' }
    const begun = Promise.withResolvers<void>()
    const shutdown = hypervisor.power(vm, 'shutdown', { onTask: () => begun.resolve() })
    // Caught at once: the shutdown may fail before the stop has finished.
    const outcome = shutdown.catch((error: unknown) => error)
    await begun.promise
    expect(await hypervisor.power(vm, 'stop')).toMatchObject({ state: 'stopped' })
    await outcome
    await hypervisor.power(vm, 'start')
    await expect(hypervisor.power(vm, 'shutdown')).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('did not react'),
    })
  })

  it('follows a VM that moved', async () => {
    const moved = sim.state.vms.get(111)
    if (!moved) throw new Error('no VM 111')
    moved.node = 'pve1'
    expect(await hypervisor.vm({ vmId: 111, node: 'pve2' })).toMatchObject({ node: 'pve1' })
    expect(await hypervisor.power({ vmId: 111, node: 'pve2' }, 'stop')).toMatchObject({
      node: 'pve1',
    })
    moved.node = 'pve2'
  })

  it('distinguishes busy, gone and not ours', async () => {
    await expect(hypervisor.power({ vmId: 106 }, 'start')).rejects.toMatchObject({ code: 'LOCKED' })
    const gone = { code: 'VM_MISSING' }
    await expect(hypervisor.vm({ vmId: 4711 })).rejects.toMatchObject(gone)
    await expect(hypervisor.vm({ vmId: 4711, node: 'pve1' })).rejects.toMatchObject(gone)
    const stranger = { vmId: 100, marker: MARKER }
    for (const act of [
      hypervisor.power(stranger, 'stop'),
      hypervisor.openConsole(stranger),
      hypervisor.setConfig(stranger, { cores: 8 }),
      hypervisor.destroy(stranger),
    ]) {
      await expect(act).rejects.toMatchObject(gone)
    }
    expect(sim.state.vms.get(100)?.qmp).toBe('running')
  })

  it('changes the configuration of a VM that others change at the same moment', async () => {
    const vm = { vmId: 101, node: 'pve1' }
    const changes = [
      { onboot: true },
      { description: 'changed' },
      { agent: true },
      { balloon: 1024 },
    ]
    await Promise.all(changes.map((change) => hypervisor.setConfig(vm, change)))
    expect(await hypervisor.config(vm)).toMatchObject(Object.assign({}, ...changes))
  })

  it('reads and changes the configuration, keeps the rest, and lists what is pending', async () => {
    const vm = { vmId: 101, node: 'pve1' }
    const before = await hypervisor.config(vm)
    expect(before).toMatchObject({ cores: 8, memory: 16_384, protection: true, bootdisk: 'scsi0' })
    const change = { cores: 4, onboot: false, digest: before.digest }
    const after = await hypervisor.setConfig(vm, change)
    expect(after).toMatchObject({ cores: 4, onboot: false, pending: ['cores'], memory: 16_384 })
    const late = hypervisor.setConfig(vm, { cores: 2, digest: before.digest })
    await expect(late).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' })
    const sent = sim.requests.length
    await hypervisor.setConfig(vm, { cores: 4 })
    expect(sim.requests.slice(sent).every((request) => request.method === 'GET')).toBe(true)
    await hypervisor.setConfig(vm, { cpu: 'x86-64-v2-AES' })
    expect((await hypervisor.config(vm)).cpu).toBe(version === '7.4' ? 'kvm64' : 'x86-64-v2-AES')
  })

  it('creates a VM, prepares, grows and starts it, shows its screen, and destroys it', async () => {
    const tasks: string[] = []
    const progress: number[] = []
    const options = {
      onTask: (task: string) => void tasks.push(task),
      onProgress: (fraction: number) => void progress.push(fraction),
    }
    const made = await hypervisor.clone({ ...order, pool: 'vps' }, options)
    expect(made).toMatchObject({ vmId: 500, node: 'pve1' })
    expect(tasks[0]).toContain(':qmclone:9004:')
    expect(progress.at(-1)).toBe(1)
    const vm = { ...made, marker: MARKER }
    const network = {
      mac: '02:00:00:00:05:00',
      addresses: [
        { address: '203.0.113.50/24', gateway: '203.0.113.1' },
        { address: '2001:db8::50/64', gateway: '2001:db8::1' },
      ],
      ...{ nameservers: ['192.0.2.53'], searchDomain: 'example.net' },
    }
    const user = { name: 'alice', password: 'correct horse', sshKeys: [] }
    await hypervisor.prepare(vm, {
      name: 'Shop',
      marker: MARKER,
      cores: 1,
      memoryMb: 1024,
      network,
      user,
    })
    await hypervisor.resize(vm, 20)
    await hypervisor.resize(vm, 10)
    const { config } = sim.state.vms.get(500) ?? {}
    expect(config).toMatchObject({ name: 'shop', cores: '1', memory: '1024', ciuser: 'alice' })
    expect(config?.net0).toContain('02:00:00:00:05:00')
    expect(config?.scsi0).toContain('size=20G')
    await hypervisor.power(vm, 'start')
    await expect
      .poll(() => hypervisor.guestAddresses(vm), soon)
      .toEqual(expect.arrayContaining(['203.0.113.50', '2001:db8::50']))
    const screen = await hypervisor.openConsole(vm)
    const [greeting] = await once(screen.stream, 'data')
    expect(String(greeting)).toMatch(/^RFB/)
    screen.stream.destroy()
    await hypervisor.setGuestPassword(vm, { name: 'alice', password: 'new password' })
    expect((await hypervisor.metrics(vm, 'hour')).length).toBeGreaterThan(0)
    expect((await hypervisor.tasks(vm)).map((task) => task.type)).toContain('qmstart')
    await expect(hypervisor.destroy({ ...vm, uuid: '0'.repeat(36) })).rejects.toMatchObject({
      code: 'VM_MISSING',
    })
    await hypervisor.destroy({ ...vm, uuid: made.uuid })
    expect(sim.state.vms.has(500)).toBe(false)
    await hypervisor.destroy(vm)
  })

  it('finds a free VM id, even among hidden VMs', async () => {
    expect(await hypervisor.freeVmId({ first: 100, last: 200 })).toBe(112)
    await expect(hypervisor.freeVmId({ first: 100, last: 111 })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    const secret = '00000000-0000-4000-8000-000000000000'
    const blind = connectionTo(sim, { username: 'viewer@pve!nothing', secret })
    const viewer = proxmoxHypervisor(blind, impatient)
    expect((await viewer.listInventory()).vms).toEqual([])
    expect(await viewer.freeVmId({ first: 100, last: 200 })).toBe(112)
    await expect(viewer.vm({ vmId: 100 })).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      details: { path: '/vms/100', privileges: ['VM.Audit'] },
    })
    await viewer.close()
  })
})
