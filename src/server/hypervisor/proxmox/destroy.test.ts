import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proxmoxClient } from '#proxmox/client.ts'
import type { Sim } from '#pve-sim/sim.ts'
import { clientOptions } from '../connect/connection.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { clonesUnderWay } from '../vm/clones-under-way.ts'
import { vmAccess } from '../vm/vm-access.ts'
import { destroyActs } from './destroy.ts'
import { powerActs } from './power.ts'

const MARKER = 'hushbox:order-7'
const UUID = '11111111-2222-4333-8444-555555555555'
const OTHER_UUID = '99999999-2222-4333-8444-555555555555'
const clock = impatient.clock ?? { now: Date.now, sleep: async () => {} }

let sim: Sim
let client: ReturnType<typeof proxmoxClient>
/** Happens while the VM is being stopped. */
let meanwhile = () => {}

beforeEach(async () => {
  meanwhile = () => {}
  sim = await startCluster()
  client = proxmoxClient({ ...clientOptions(connectionTo(sim)), ...impatient })
})
afterEach(async () => {
  await client.close()
  await sim.close()
})

const hypervisor = () => {
  const access = vmAccess(client)
  const { power } = powerActs(client, access, clock)
  const stop: typeof power = async (...given) => {
    const stopped = await power(...given)
    meanwhile()
    return stopped
  }
  const underWay = clonesUnderWay(client, sim.apiToken.id)
  return destroyActs(client, { access, power: stop, underWay })
}
const change = (vmId: number, values: Record<string, string>) => {
  const vm = sim.state.vms.get(vmId)
  if (!vm) throw new Error(`no VM ${vmId}`)
  vm.config = { ...vm.config, ...values }
}
/** A VM of the cluster that carries our marker. */
const own = (vmId: number) => {
  change(vmId, { description: MARKER, smbios1: `uuid=${UUID}` })
  return { vmId, marker: MARKER, uuid: UUID }
}
const nameOf = (vmId: number) => sim.state.vms.get(vmId)?.config.name ?? ''
const deletes = () => sim.requests.filter(({ method }) => method === 'DELETE').length

describe('destroying', () => {
  test('removes our VM, also one that runs, and succeeds again once it is gone', async () => {
    for (const vm of [own(100), own(103)]) {
      await hypervisor().destroy(vm)
      expect(sim.state.vms.has(vm.vmId)).toBe(false)
      await hypervisor().destroy(vm)
    }
  })

  test('leaves a VM alone that does not carry our marker, and says so', async () => {
    const mistaken = hypervisor().destroy({ vmId: 103, marker: MARKER })
    await expect(mistaken).rejects.toMatchObject({ code: 'VM_MISSING' })
    expect([sim.state.vms.has(103), deletes()]).toEqual([true, 0])
  })

  test('leaves a VM alone that carries our marker but has another identity', async () => {
    const mistaken = hypervisor().destroy({ ...own(103), uuid: OTHER_UUID })
    await expect(mistaken).rejects.toMatchObject({ code: 'VM_MISSING' })
    expect([sim.state.vms.has(103), deletes()]).toEqual([true, 0])
  })

  test('of a VM that another one replaced during the stop leaves the new one alone', async () => {
    const vm = own(100)
    meanwhile = () => change(100, { smbios1: `uuid=${OTHER_UUID}` })
    await expect(hypervisor().destroy(vm)).rejects.toMatchObject({ code: 'VM_MISSING' })
    expect([sim.state.vms.has(100), deletes()]).toEqual([true, 0])
  })

  test('of a VM that we did not make needs its present name', async () => {
    const name = nameOf(103)
    const mistaken = hypervisor().destroy({ vmId: 103, name: 'its-old-name' })
    await expect(mistaken).rejects.toMatchObject({
      code: 'CHANGED_MEANWHILE',
      message: expect.stringContaining(`is called ${name} by now`),
    })
    expect([sim.state.vms.has(103), deletes()]).toEqual([true, 0])
    await hypervisor().destroy({ vmId: 103, name })
    expect(sim.state.vms.has(103)).toBe(false)
  })

  test('never affects a template', async () => {
    await expect(hypervisor().destroy({ vmId: 9004, name: nameOf(9004) })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'Templates are not destroyed from here.',
    })
    expect([sim.state.vms.has(9004), deletes()]).toEqual([true, 0])
  })

  test('of a VM that a broken clone left locked tells the operator how to unlock it', async () => {
    const vm = own(103)
    change(103, { lock: 'clone' })
    await expect(hypervisor().destroy(vm)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining('qm unlock 103'),
    })
    expect([sim.state.vms.has(103), deletes()]).toEqual([true, 0])
  })
})
