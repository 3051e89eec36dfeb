import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '#pve-sim/faults/fault-board.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { connectionTo, impatient, soon, startCluster } from '../testing/sim-cluster.ts'
import { proxmoxHypervisor } from './proxmox-hypervisor.ts'

const MARKER = 'hushbox:order-7'
const order = { vmId: 500, marker: MARKER, name: 'Shop', isFull: true, template: { vmId: 9004 } }

let sim: Sim
let hypervisor: Hypervisor
beforeEach(async () => {
  sim = await startCluster()
  hypervisor = proxmoxHypervisor(connectionTo(sim), impatient)
})
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

const ours = () =>
  [...sim.state.vms.values()].filter((vm) => vm.config.description?.includes(MARKER))
const clonesSent = () => sim.requests.filter((request) => request.path.endsWith('/clone')).length

describe('cloning', () => {
  it('twice with the same order makes one VM', async () => {
    const first = await hypervisor.clone(order)
    expect(await hypervisor.clone(order)).toEqual(first)
    expect(ours()).toHaveLength(1)
    expect(clonesSent()).toBe(1)
  })

  it('twice at the same time makes one VM', async () => {
    const [a, b] = await Promise.all([hypervisor.clone(order), hypervisor.clone(order)])
    expect(a).toEqual(b)
    expect(ours()).toHaveLength(1)
  })

  it('joins a clone in progress, as after a restart of ours', async () => {
    const other = proxmoxHypervisor(connectionTo(sim), impatient)
    const begun = Promise.withResolvers<void>()
    const first = other.clone(order, { onTask: () => begun.resolve() })
    await begun.promise
    expect(await hypervisor.clone(order)).toEqual(await first)
    expect(clonesSent()).toBe(1)
    await other.close()
  })

  it.each<Fault>([
    { kind: 'reset', count: 1, path: '/clone$' },
    { kind: 'truncate', count: 1, path: '/clone$' },
    { kind: '596', count: 1, path: '/clone$' },
    { kind: '502', count: 1, path: '/clone$', effect: true },
  ])('whose answer is lost by $kind finds its VM', async (fault) => {
    sim.faults.add(fault)
    expect(await hypervisor.clone(order)).toMatchObject({ vmId: 500 })
    expect(ours()).toHaveLength(1)
    expect(clonesSent()).toBe(1)
  })

  it('whose task is lost waits until its VM is complete', async () => {
    // One pause lasts as long as the clone needs, however slow this machine is.
    const isWhole = () => expect(sim.state.vms.get(500)?.config.lock).toBeUndefined()
    const clock = { now: Date.now, sleep: () => vi.waitFor(isWhole, soon) }
    const patient = proxmoxHypervisor(connectionTo(sim), { ...impatient, clock })
    sim.faults.add({ kind: 'task-lost', count: 1, path: '/clone$' })
    expect(await patient.clone(order)).toMatchObject({ vmId: 500 })
    expect(clonesSent()).toBe(1)
    await patient.close()
  })

  it.each<Fault>([
    { kind: '595', count: 1, path: '/clone$' },
    { kind: 'html-500', count: 1, path: '/clone$' },
    { kind: 'black-hole', count: 1, path: '/clone$' },
  ])('that did not happen ($kind) reports it, and succeeds when retried', async (fault) => {
    sim.faults.add(fault)
    await expect(hypervisor.clone(order)).rejects.toMatchObject({
      code: 'CLUSTER_UNAVAILABLE',
      details: { outcome: 'unknown' },
    })
    expect(ours()).toHaveLength(0)
    sim.faults.clear()
    await hypervisor.clone(order)
    expect(ours()).toHaveLength(1)
  })

  it('that fails in its task says what to do, and leaves nothing behind', async () => {
    const message = "clone failed: cfs-lock 'storage-ceph-vm' error: got lock request timeout"
    sim.faults.add({ kind: 'task-error', path: '/clone$', count: 1, message })
    await expect(hypervisor.clone(order)).rejects.toMatchObject({
      code: 'LOCKED',
      message: 'The storage is busy.',
      details: { reason: message },
    })
    expect(ours()).toHaveLength(0)
    await hypervisor.clone(order)
    expect(ours()).toHaveLength(1)
  })

  it('to an id of another VM is a conflict, and leaves that VM alone', async () => {
    const before = structuredClone(sim.state.vms.get(100)?.config)
    const taken = hypervisor.clone({ ...order, vmId: 100 })
    await expect(taken).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(sim.state.vms.get(100)?.config).toEqual(before)
    expect(clonesSent()).toBe(0)
  })

  it('to another node ends there', async () => {
    const made = await hypervisor.clone({ ...order, storage: 'ceph-vm', targetNode: 'pve2' })
    expect(made.node).toBe('pve2')
    expect(await hypervisor.clone({ ...order, targetNode: 'pve2' })).toEqual(made)
  })
})

describe('destroying', () => {
  it('waits for a clone whose owner is not known yet', async () => {
    const slow = await startCluster({ taskMs: 600_000 })
    const waiting = proxmoxHypervisor(connectionTo(slow), impatient)
    const begun = Promise.withResolvers<void>()
    const cut = new AbortController()
    const { signal } = cut
    const clone = waiting.clone(order, { onTask: () => begun.resolve(), signal })
    const cutOff = expect(clone).rejects.toThrow()
    await begun.promise
    const early = waiting.destroy({ vmId: 500, marker: MARKER })
    await expect(early).rejects.toMatchObject({ code: 'LOCKED' })
    expect(slow.state.vms.has(500)).toBe(true)
    cut.abort()
    await cutOff
    await waiting.close()
    await slow.close()
  })

  it('survives a lost answer', async () => {
    const made = await hypervisor.clone(order)
    sim.faults.add({ kind: 'reset', method: 'DELETE', count: 1 })
    const lost = hypervisor.destroy({ ...made, marker: MARKER })
    await expect(lost).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' })
    await hypervisor.destroy({ ...made, marker: MARKER })
    expect(sim.state.vms.has(500)).toBe(false)
  })

  it('never affects a VM that took the id of ours afterwards', async () => {
    const made = await hypervisor.clone(order)
    const vm = sim.state.vms.get(500)
    if (vm) vm.config = { ...vm.config, smbios1: `uuid=${crypto.randomUUID()}` }
    const mistaken = hypervisor.destroy({ ...made, marker: MARKER })
    await expect(mistaken).rejects.toMatchObject({ code: 'VM_MISSING' })
    expect(sim.state.vms.has(500)).toBe(true)
    expect(sim.requests.some((request) => request.method === 'DELETE')).toBe(false)
  })

  it('of a protected VM is refused with the reason', async () => {
    const made = await hypervisor.clone(order)
    await hypervisor.setConfig(made, { protection: true })
    await expect(hypervisor.destroy({ ...made, marker: MARKER })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('protected'),
    })
  })
})
