import { isIPv4 } from 'node:net'
import type { VmConfig } from '#proxmox/calls/vm-answers.ts'
import { readNetDevice } from '#proxmox/wire/property-string.ts'
import type { VmTraits } from '../port/views.ts'
import { uuidOf } from '../vm/vm-access.ts'
import { parseSize } from './disk-size.ts'
import { readBootDisk } from './vm-settings.ts'

const DRIVE = /^(scsi|virtio|sata|ide|efidisk|tpmstate)\d+$/

/** Facts that only a VM's own configuration contains. */
export function traitsOf(config: VmConfig): VmTraits {
  const { values } = config
  const drives = Object.entries(values).filter(([key]) => DRIVE.test(key))
  const [created] = /(?<=ctime=)\d+/.exec(values.meta ?? '') ?? []
  return {
    uuid: uuidOf(config),
    addresses: Object.entries(values)
      .filter(([key]) => /^ipconfig\d+$/.test(key))
      .flatMap(([, value]) => /(?:^|,)ip=([\d.]+)/.exec(value)?.[1] ?? [])
      .filter((address) => isIPv4(address)),
    mac: readNetDevice(values.net0 ?? '')?.mac?.toUpperCase(),
    storages: [...new Set(drives.flatMap(([, value]) => storageOf(value) ?? []))],
    hasCloudInit: drives.some(([, value]) => isCloudInit(value)),
    // `1`, `enabled=1`, and `true`, `yes`, `on` (facts-3 §7); with or without more options after
    // it.
    hasAgent: /^(enabled=)?(1|true|yes|on)(,|$)/i.test(values.agent ?? ''),
    createdAt: created === undefined ? undefined : new Date(Number(created) * 1000),
    cores: numberOf(values.cores, 1) * numberOf(values.sockets, 1),
    memoryMb: Number(/\d+/.exec(values.memory ?? '')?.[0] ?? 512),
    diskBytes: parseSize(values[readBootDisk(values)] ?? ''),
  }
}

const numberOf = (text: string | undefined, otherwise: number) => Number(text) || otherwise

/**
 * `local-lvm:vm-100-cloudinit`, `store:100/vm-100-cloudinit.qcow2`, or `store:cloudinit` when new.
 */
const isCloudInit = (value: string) => /:(?:.*\/)?(?:vm-\d+-)?cloudinit\b/.test(value)

/** An ISO drive, inserted or empty, is not a disk of the VM. */
function storageOf(value: string): string | undefined {
  const [volume = ''] = value.split(',')
  if (volume === 'none' || volume === 'cdrom' || volume.includes(':iso/')) return undefined
  return /^([^:/]+):/.exec(volume)?.[1]
}
