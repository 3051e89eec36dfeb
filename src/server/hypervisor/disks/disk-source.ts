import type { VmConfig } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { AppError } from '#shared/errors.ts'
import type { DiskOrder } from '../port/disks.ts'
import type { VmAccess } from '../vm/vm-access.ts'
import { readBootDisk } from '../vm-config/vm-settings.ts'
import { systemOf, volumeOf } from './vm-disks.ts'

const refused = (message: string, details?: unknown) =>
  new AppError('INVALID_STATE', message, details === undefined ? {} : { details })

const firmwareOf = ({ values }: VmConfig) => values.bios ?? 'seabios'

/**
 * The volume to copy, and what its system is taken for. PVE copies a disk only where the VM that
 * owns it is on the same node, even on a shared storage (facts-2 §2): its task would say so after the
 * VM was stopped.
 */
export async function diskSource(
  { client, access }: { client: ProxmoxClient; access: VmAccess },
  template: DiskOrder['template'],
  target: { node: string; config: VmConfig },
): Promise<{ volume: string; ostype: string }> {
  const { vmId } = template
  const { node, config } = await access
    .at(template, async (place) => ({ node: place.node, config: await client.qemu.config(place) }))
    .catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'VM_MISSING') throw error
      throw new AppError('NOT_FOUND', `The cluster no longer has template ${vmId}.`)
    })
  if (config.values.template !== '1') throw refused(`VM ${vmId} is not a template.`)
  if (node !== target.node) {
    const message = `Template ${vmId} is on node ${node} and the VM on ${target.node}. Proxmox VE copies only on one node: choose a template on ${target.node}.`
    throw refused(message, { templateNode: node, node: target.node })
  }
  if (firmwareOf(config) !== firmwareOf(target.config)) {
    const [its, ours] = [firmwareOf(config), firmwareOf(target.config)]
    throw refused(`Template ${vmId} starts with ${its}, the VM with ${ours}: it would not boot.`)
  }
  const volume = volumeOf(config.values[readBootDisk(config.values)])
  if (volume === '') throw refused(`Template ${vmId} has no disk.`)
  return { volume, ostype: systemOf(config).ostype }
}
