import type { VmConfig } from '#proxmox/calls/vm-answers.ts'
import {
  DEFAULT_KEY,
  getProperty,
  parseProperties,
  writeProperties,
} from '#proxmox/wire/property-string.ts'
import type { SystemKind } from '../port/disks.ts'
import { readBootDisk } from '../vm-config/vm-settings.ts'

export type VmDisks = {
  slot: string
  /** The boot drive with its options; empty without one. */
  entry: string
  volume: string
  /** From the next start on: differs while a change waits for it. */
  nextVolume: string
  /** What it is taken for: now, and from the next start on. */
  system: { now: SystemKind; next: SystemKind }
  /** The VM's own disks that are attached nowhere. */
  spare: { key: string; volume: string }[]
}

const DRIVE = /^(ide|sata|scsi|virtio|efidisk|tpmstate)\d+$/
const UNUSED = /^unused\d+$/

export const volumeOf = (entry = '') => getProperty(entry, 'file', DEFAULT_KEY.disk) ?? ''

/** As PVE takes a VM that says nothing. */
export const systemOf = ({ values }: VmConfig): SystemKind => ({
  ostype: values.ostype ?? 'other',
  machine: values.machine ?? '',
})

/** A linked clone's volume names its base first: `base-9000-disk-0/vm-500-disk-0`. */
const isOwn = (volume: string, vmId: number) =>
  new RegExp(`[:/](vm|base)-${vmId}-[^:/]+$`).test(volume)

/** `current` is in effect, `next` has the pending changes applied. */
export function readDisks(current: VmConfig, next: VmConfig, vmId: number): VmDisks {
  const slot = readBootDisk(current.values)
  const entry = current.values[slot] ?? ''
  const valuesOf = (pattern: RegExp, { values }: VmConfig) =>
    Object.entries(values).filter(([key]) => pattern.test(key))
  const attached = new Set(
    [current, next].flatMap((config) =>
      valuesOf(DRIVE, config).map(([, value]) => volumeOf(value)),
    ),
  )
  const spare = valuesOf(UNUSED, next)
    .map(([key, value]) => ({ key, volume: volumeOf(value) }))
    .filter(({ volume }) => isOwn(volume, vmId) && !attached.has(volume))
  return {
    slot,
    entry,
    volume: volumeOf(entry),
    nextVolume: volumeOf(next.values[slot]),
    system: { now: systemOf(current), next: systemOf(next) },
    spare,
  }
}

/** Describe one volume, or are not known to every release. */
const NOT_CARRIED = new Set(['file', 'volume', 'size', 'format', 'cyls', 'heads', 'secs', 'trans'])

/** The same drive, cache, limits and all, with another volume. */
export function withVolume(entry: string, volume: string, source?: string): string {
  const options = parseProperties(entry).filter(
    ({ key }) => key !== undefined && !NOT_CARRIED.has(key),
  )
  return writeProperties([
    { key: undefined, value: volume },
    ...(source === undefined ? [] : [{ key: 'import-from', value: source }]),
    ...options,
  ])
}
