import { beforeEach, describe, expect, it } from 'vitest'
import { ownVmCluster } from '../testing/own-vm-cluster.ts'

const OLD = 'local-lvm:vm-103-disk-0'
const LINUX = 9004
const WINDOWS = 9002
const SETUP = {
  name: 'shop',
  marker: 'hushbox:order-7',
  user: { name: 'alice', password: 'horse' },
}

const our = ownVmCluster()
const replace = (vmId: number, keepsSystem = false) =>
  our.hypervisor.replaceDisk(our.address, { template: { vmId }, old: OLD, keepsSystem })
const restore = (system?: { ostype: string; machine: string }) =>
  our.hypervisor.restoreDisk(our.address, OLD, { system })
const password = async () => {
  await our.hypervisor.prepare(our.address, SETUP)
  return our.vm.config.cipassword
}
const writes = () => our.sim.requests.filter(({ method }) => method !== 'GET').length
const disk = () => our.vm.config.scsi0?.split(',')[0]

describe.each(['7.4', '8.4', '9.1'] as const)('a VM on Proxmox VE %s', (version) => {
  beforeEach(() => our.open({ version }))

  it('is taken for what is on its disk, before and after its old one is back', async () => {
    const { system } = await our.hypervisor.bootDisk(our.address)
    expect(system).toEqual({ ostype: 'l26', machine: '' })
    const set = writes()
    await replace(WINDOWS)
    expect([our.vm.config.ostype, writes()]).toEqual(['win11', set + 1])
    // From 8.4 on PVE pins its machine with that.
    const pinned = version === '7.4' ? undefined : expect.stringMatching(/^pc-i440fx-\d/)
    expect(our.vm.config.machine).toEqual(pinned)
    expect(await password()).toBe('horse')
    await restore(system)
    expect([our.vm.config.ostype, our.vm.config.machine, disk()]).toEqual(['l26', undefined, OLD])
    expect(await password()).toMatch(/^\$5\$/)
  })

  it('keeps the machine it had, through another system and back', async () => {
    our.vm.config.machine = 'q35'
    const { system } = await our.hypervisor.bootDisk(our.address)
    await replace(WINDOWS)
    await restore(system)
    expect(our.vm.config).toMatchObject({ ostype: 'l26', machine: 'q35' })
  })

  it('that was Windows without a machine of its own is that again after Linux', async () => {
    our.vm.config.ostype = 'win11'
    const { system } = await our.hypervisor.bootDisk(our.address)
    await replace(LINUX)
    expect(our.vm.config.ostype).toBe('l26')
    await restore(system)
    expect(our.vm.config.ostype).toBe('win11')
    expect(our.vm.config.machine).toBeUndefined()
  })

  it('is taken for what it was if only its disk is to change', async () => {
    await replace(WINDOWS, true)
    await restore()
    expect([our.vm.config.ostype, our.vm.config.machine, disk()]).toEqual(['l26', undefined, OLD])
  })

  it('is taken for what it was after a copy that failed, and is then left alone', async () => {
    const { system } = await our.hypervisor.bootDisk(our.address)
    const source = our.sim.state.vms.get(WINDOWS)?.config.scsi0?.split(',')[0] ?? ''
    our.sim.state.volumes.delete(source)
    await expect(replace(WINDOWS)).rejects.toThrow()
    // What came before the disk waits for the next start.
    expect(our.vm.pending).toMatchObject({ ostype: 'win11' })
    await restore(system)
    expect([our.vm.config.ostype, our.vm.config.machine, our.vm.pending]).toEqual([
      'l26',
      undefined,
      {},
    ])
    expect(disk()).toBe(OLD)
    const done = writes()
    await restore(system)
    expect(writes()).toBe(done)
  })
})
