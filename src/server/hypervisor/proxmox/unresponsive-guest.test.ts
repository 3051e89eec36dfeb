import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import { guideAccount } from '../../testing/with-sim.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { connectionTo, impatient, soon, startCluster } from '../testing/sim-cluster.ts'
import { proxmoxHypervisor } from './proxmox-hypervisor.ts'

let sim: Sim
let hypervisor: Hypervisor
let account: ReturnType<typeof guideAccount>['account']
beforeEach(async () => {
  sim = await startCluster({ taskMs: 50 })
  account = guideAccount(sim).account
  hypervisor = proxmoxHypervisor(connectionTo(sim, account), { ...impatient, agentPauseMs: 50 })
  const vm = sim.state.vms.get(100)
  if (!vm) throw new Error('no VM 100')
  vm.guest.ignoresAcpi = true
  vm.guest.agent = 'none'
  sim.state.pools.get('vps')?.vms.splice(0)
  sim.state.pools.get('hushbox')?.vms.push(100, 101, 102)
})
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

const sent = (act: string) =>
  sim.requests.filter(({ path }) => path.endsWith(`/100/status/${act}`)).length

describe('a guest that does not react', () => {
  it.each(['shutdown', 'restart'] as const)('is stopped while %s waits for it', async (act) => {
    const waiting = hypervisor.power({ vmId: 100 }, act).catch((error: unknown) => error)
    await vi.waitFor(() => expect(sent(act === 'restart' ? 'reboot' : act)).toBe(1), soon)
    const stopped = await hypervisor.power({ vmId: 100 }, 'stop')
    expect(stopped.state).toBe('stopped')
    await waiting
  })

  it('is stopped although a restart came between our look and our stop', async () => {
    const late = {
      kind: 'latency',
      method: 'POST',
      path: 'status/stop',
      ms: 500,
      count: 1,
    } as const
    sim.faults.add(late)
    const looks = () => sim.requests.filter(({ path }) => path.endsWith('/tasks')).length
    const stopping = hypervisor.power({ vmId: 100 }, 'stop')
    await vi.waitFor(() => expect(looks()).toBe(1), soon)
    const waiting = hypervisor.power({ vmId: 100 }, 'restart').catch((error: unknown) => error)
    expect((await stopping).state).toBe('stopped')
    expect([...sim.state.tasks.values()].map(({ type, exitstatus }) => [type, exitstatus])).toEqual(
      expect.arrayContaining([
        ['qmstop', expect.stringMatching(/^can't lock file .* - got timeout$/)],
        ['qmstop', 'OK'],
      ]),
    )
    await waiting
  })

  it('stays off if the waiting restart had to be killed and PVE starts it once more', async () => {
    // One of our seconds lasts as long as a task of the simulator.
    const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms / 20))
    const clock = { now: Date.now, sleep }
    const patient = proxmoxHypervisor(connectionTo(sim, account), { ...impatient, clock })
    const waiting = patient.power({ vmId: 100 }, 'restart').catch((error: unknown) => error)
    const reboot = await vi.waitFor(() => {
      const task = [...sim.state.tasks.values()].find(({ type }) => type === 'qmreboot')
      if (!task) throw new Error('not yet')
      return task
    }, soon)
    reboot.ignoresSignals = true
    const stopped = await patient.power({ vmId: 100 }, 'stop')
    expect(reboot.exitstatus).toBe('unexpected status')
    expect(stopped.state).toBe('stopped')
    expect([...sim.state.tasks.values()].map(({ type }) => type)).toContain('qmstart')
    expect(sim.state.vms.get(100)?.qmp).toBe('stopped')
    expect(sent('stop')).toBe(2)
    await waiting
    await patient.close()
  })

  it('gets a timeout, so that the VM is not locked for ten minutes', async () => {
    const asked = vi.waitFor(() => {
      const task = [...sim.state.tasks.values()].find(({ type }) => type === 'qmshutdown')
      expect(task?.job.args).toMatchObject({ timeout: 90 })
    }, soon)
    const waiting = hypervisor.power({ vmId: 100 }, 'shutdown').catch((error: unknown) => error)
    await asked
    await hypervisor.power({ vmId: 100 }, 'stop')
    await waiting
  })
})

describe('agents of booting guests', () => {
  const agentCalls = () => sim.requests.filter(({ path }) => path.includes('/agent/'))

  it('are asked one at a time per node, with a pause', async () => {
    for (const vmId of [100, 101, 102]) {
      const vm = sim.state.vms.get(vmId)
      if (vm) Object.assign(vm, { node: 'pve1', qmp: 'running', ha: undefined })
      if (vm) vm.guest.agent = 'none'
    }
    const quiet = proxmoxHypervisor(connectionTo(sim, account), {
      ...impatient,
      agentPauseMs: 3_600_000,
    })
    // However often callers ask: within one pause one agent of the node is asked, once.
    for (let round = 0; round < 5; round += 1) {
      const asked = [100, 101, 102].map((vmId) => quiet.guestAddresses({ vmId, node: 'pve1' }))
      expect(await Promise.all(asked)).toEqual([[], [], []])
    }
    expect(agentCalls()).toHaveLength(1)
    await quiet.close()
  })

  it('are not asked again if the account has no permission', async () => {
    const role = sim.state.roles.get('VpsOperator') ?? []
    sim.state.roles.set(
      'VpsOperator',
      role.filter((privilege) => !privilege.startsWith('VM.GuestAgent')),
    )
    const asked = hypervisor.guestAddresses({ vmId: 101 })
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })
})
