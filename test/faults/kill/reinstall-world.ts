import { expect } from 'vitest'
import { openServerWorld } from './server-world.ts'

const GUESTS: Record<string, string> = {
  'Ubuntu 22.04': 'Ubuntu 22.04.5 LTS',
  'Debian 12': 'Debian GNU/Linux 12',
}

/** A server that is reinstalled, by a process that may be killed meanwhile. */
export async function openReinstallWorld(given: Record<string, string>, dataDir: string) {
  const { sim, look, askAndDie, recover, close } = await openServerWorld(given, dataDir)

  const identityOf = ({ vm, row }: Awaited<ReturnType<typeof look>>) => {
    const { net0, ipconfig0, smbios1, description } = vm.config
    const { vmId, ipAddress, marker } = row
    return { vmId, ipAddress, marker, net0, ipconfig0, smbios1, description }
  }

  const first = await look()
  const identity = identityOf(first)
  const vms = sim.state.vms.size
  let osType = 'Ubuntu 22.04'

  return {
    recover,

    /** Reinstalls with the other system on a process that dies at this moment; 0 is never. */
    actAndDie(at: number): Promise<string[]> {
      const wanted = osType === 'Debian 12' ? 'Ubuntu 22.04' : 'Debian 12'
      const body = { osType: wanted, confirm: String(identity.vmId) }
      return askAndDie({ path: `/api/instances/${first.row.id}/reinstall`, body }, at)
    },

    /** An old or a new system runs, and our rows say which and how to sign in. */
    async expectWhole(where: string): Promise<string> {
      const found = await look()
      const { sold, row, vm, password } = found
      expect(identityOf(found), where).toEqual(identity)
      expect(sim.state.vms.size, where).toBe(vms)
      expect(vm.qmp, where).toBe('running')
      expect(row.status, where).toBe('running')
      expect(vm.guest.os, where).toBe(GUESTS[sold.osType])
      const login = { user: sold.username, password }
      expect(password, where).not.toBe('')
      expect({ user: vm.config.ciuser, password: vm.guest.password }, where).toEqual(login)
      expect(vm.guest.booted, where).toEqual(login)
      const own = [...sim.state.volumes.values()].filter(
        ({ vmid, volid }) => vmid === row.vmId && !volid.includes('cloudinit'),
      )
      expect(
        own.map(({ volid }) => volid),
        where,
      ).toEqual([vm.config.scsi0?.split(',')[0]])
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      expect(JSON.stringify(found.steps), where).not.toContain('"login"')
      const before = osType
      osType = sold.osType
      return osType === before ? 'old' : 'new'
    },

    close,
  }
}
