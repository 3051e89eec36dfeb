import { afterEach, describe, expect, it } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'
import { limitedCard } from './card-rate.ts'

const CARD = 'virtio=BC:24:11:00:00:07,bridge=vmbr0,firewall=1,tag=7'
const MARKER = 'hushbox:order-7'

describe('the limit of a card', () => {
  it.each([
    [100, `${CARD},rate=11.9209`],
    [1000, `${CARD},rate=119.2093`],
    [1, `${CARD},rate=0.1192`],
    [null, CARD],
  ])('of %s Mbit/s is in MiB/s', (mbit, net0) => {
    expect(limitedCard(CARD, mbit)).toBe(net0)
  })

  it('replaces another one, and keeps one that is the same', () => {
    expect(limitedCard(`${CARD},rate=3`, 100)).toBe(`${CARD},rate=11.9209`)
    expect(limitedCard(`${CARD},rate=3`, null)).toBe(CARD)
    const written = `rate=11.92090,${CARD}`
    expect(limitedCard(written, 100)).toBe(written)
  })

  it('is never zero, which Proxmox takes for unlimited', () => {
    expect(() => limitedCard(CARD, 0)).toThrow('A rate is 1 Mbit/s or more.')
  })

  it.each([undefined, 'virtio'])('needs a card with an address: %s', (net0) => {
    expect(() => limitedCard(net0, 100)).toThrow('This VM has no network card net0.')
  })
})

describe.each(['7.4', '8.4', '9.1'] as const)('a VM on Proxmox VE %s', (version) => {
  let sim: Sim
  let hypervisor: Hypervisor
  afterEach(async () => {
    await hypervisor.close()
    await sim.close()
  })

  it('is limited while it runs, and only if it is ours', async () => {
    sim = await startCluster({ version })
    const { vm, address } = ownVm(sim, 103, MARKER)
    vm.config.net0 = CARD
    // With exactly the rights that the operator guide names.
    const secret = '00000000-0000-4000-8000-000000000000'
    const account = { username: 'vps@pve!app', secret }
    hypervisor = proxmoxHypervisor(connectionTo(sim, account), impatient)
    const writes = () => sim.requests.filter(({ method }) => method !== 'GET').length
    await hypervisor.setRate(address, 100)
    expect(vm.config.net0).toBe(`${CARD},rate=11.9209`)
    expect(vm.pending).toEqual({})
    const sent = writes()
    await hypervisor.setRate(address, 100)
    expect(writes()).toBe(sent)
    await expect(
      hypervisor.setRate({ ...address, marker: 'hushbox:another' }, 1),
    ).rejects.toMatchObject({ code: 'VM_MISSING' })
    await hypervisor.setRate(address, null)
    expect(vm.config.net0).toBe(CARD)
  })

  it('has counters that only its start and its migration begin anew', async () => {
    let now = Date.UTC(2026, 10, 15)
    sim = await startCluster({ version, now: () => now, lagMs: 0 })
    hypervisor = proxmoxHypervisor(connectionTo(sim), impatient)
    const seen = async () => {
      const { vms } = await hypervisor.listInventory()
      const found = vms.find(({ vmId }) => vmId === 100)
      return { in: found?.netIn ?? -1, out: found?.netOut ?? -1, uptime: found?.uptime ?? -1 }
    }
    const first = await seen()
    now += 60_000
    const later = await seen()
    expect(later.in).toBeGreaterThan(first.in)
    expect(later.out).toBeGreaterThan(first.out)
    sim.state.moveVm(100, 'pve2')
    expect(await seen()).toEqual({ in: 0, out: 0, uptime: 0 })
    now += 60_000
    const moved = await seen()
    expect(moved.in).toBeGreaterThan(0)
    expect(moved.in).toBeLessThan(later.in)
    sim.state.crashVm(100)
    expect(await seen()).toEqual({ in: 0, out: 0, uptime: 0 })
  })
})
