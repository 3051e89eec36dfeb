import { getProperty } from '#proxmox/wire/property-string.ts'
import { volumeOf } from '../disks/vm-disks.ts'
import type { CdPlan } from '../port/cds.ts'
import { readBootDisk } from '../vm-config/vm-settings.ts'

type Values = Readonly<Record<string, string>>

/** Drives whose medium Proxmox changes while the VM runs, in the order in which we look at them. */
const SLOTS = ['ide0', 'ide1', 'ide2', 'ide3']

export const EMPTY = 'none,media=cdrom'
export const inserted = (volume: string) => `${volume},media=cdrom`

/** An empty drive, else a place for one. CDs of the operator and the cloud-init drive stay. */
export function planOf(values: Values): CdPlan | undefined {
  const isEmpty = (slot: string) => volumeOf(values[slot]) === 'none'
  const slot = SLOTS.find(isEmpty) ?? SLOTS.find((one) => values[one] === undefined)
  if (slot === undefined) return undefined
  return { slot, boot: values.boot ?? null, bootdisk: values.bootdisk ?? null }
}

/** The drive first; a device that is not in the order could not be booted from at all. */
export function cdFirst(values: Values, { slot, boot }: CdPlan): string {
  const before =
    getProperty(boot ?? '', 'order')
      ?.split(';')
      .filter(Boolean) ?? []
  const rest = before.length > 0 ? before : [readBootDisk(values)]
  const there = rest.filter((device) => device !== slot && values[device] !== undefined)
  return `order=${[slot, ...there].join(';')}`
}

export type BootChange = { set: Record<string, string>; unset: string[] }

/**
 * What makes the VM boot as it did before. A device that was removed meanwhile is left out: with it,
 * Proxmox would refuse the whole order.
 */
export function bootBefore(values: Values, { boot, bootdisk }: CdPlan): BootChange {
  const wanted = { boot: boot === null ? null : present(values, boot), bootdisk }
  const change: BootChange = { set: {}, unset: [] }
  for (const [key, value] of Object.entries(wanted)) {
    if ((values[key] ?? null) === value) continue
    if (value === null) change.unset.push(key)
    else change.set[key] = value
  }
  return change
}

function present(values: Values, boot: string): string {
  const order = getProperty(boot, 'order')?.split(';')
  if (!order) return boot
  const there = order.filter((device) => values[device] !== undefined)
  return `order=${(there.length > 0 ? there : [readBootDisk(values)]).join(';')}`
}
