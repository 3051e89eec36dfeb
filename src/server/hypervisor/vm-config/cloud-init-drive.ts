import { DEFAULT_KEY, getProperty } from '#proxmox/wire/property-string.ts'
import { readBootDisk } from './vm-settings.ts'

type Values = Readonly<Record<string, string>>

/** Tells our images from the operator's own CDs. */
const OURS = /:iso\/hushbox-[\w.-]+\.iso$/
const CD_SLOT = /^(ide|sata|scsi)\d+$/
const CLOUD_INIT = /[:/](vm-\d+-)?cloudinit(\.\w+)?$/

const volumeOf = (entry = '') => getProperty(entry, 'file', DEFAULT_KEY.disk) ?? ''

const slotWhere = (values: Values, fits: (volume: string) => boolean) =>
  Object.entries(values).find(([key, entry]) => CD_SLOT.test(key) && fits(volumeOf(entry)))?.[0]

/** Where Proxmox's own drive is. */
export const cloudInitSlot = (values: Values) =>
  slotWhere(values, (volume) => CLOUD_INIT.test(volume))

export const slotOf = (values: Values, image: string) =>
  slotWhere(values, (volume) => volume === image)

export const insertedSeed = (image: string) => `${image},media=cdrom`

/**
 * Proxmox's own drive in this slot. The boot disk's storage holds images, so it can hold this one.
 * With our image the slot joined the boot order (facts-3 §19), and leaves it again.
 */
export const ownDriveIn = (values: Values, slot: string): Record<string, string> => {
  const [storage = ''] = volumeOf(values[readBootDisk(values)]).split(':')
  return { [slot]: `${storage}:cloudinit`, ...bootWithout(values, slot) }
}

function bootWithout({ boot = '' }: Values, slot: string): Record<string, string> {
  const order = getProperty(boot, 'order')?.split(';') ?? []
  const left = order.filter((device) => device !== slot)
  if (left.length === order.length || left.length === 0) return {}
  return { boot: `order=${left.join(';')}` }
}

/**
 * Brings Proxmox's own drive back where an image of ours is in its place: what is written into the
 * configuration reaches the guest by that drive only.
 */
export function ownDriveBack(values: Values): Record<string, string> {
  const slot = slotWhere(values, (volume) => OURS.test(volume))
  return slot === undefined ? {} : ownDriveIn(values, slot)
}
