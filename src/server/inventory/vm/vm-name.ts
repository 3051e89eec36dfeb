import { dnsName } from '../../hypervisor/guest/guest-setup.ts'

export type Named = { name: string; vmId: number }

const SHORT = 30

/**
 * The name of a VM we make: short, and unique in its cluster by the VM id. Cloud-init takes what is
 * before the first dot as the hostname.
 */
export const vmName = ({ name, vmId, hostname }: Named & { hostname: string | null }): string => {
  if (hostname !== null) return `${hostname}${ending(vmId)}`
  const [title = ''] = name.split(',')
  return `${dnsName(dnsName(title).slice(0, SHORT))}-${vmId}`
}

const ending = (vmId: number): string => `.vm-${vmId}`

/** Whether a VM has a name that we give, with this hostname or an earlier one. */
export const isVmName = (row: Named, theirs: string): boolean =>
  theirs.endsWith(ending(row.vmId)) || theirs === vmName({ ...row, hostname: null })
