import { getProperty } from '#proxmox/wire/property-string.ts'

const UNITS: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }

/** Bytes of a drive's `size=32G`; undefined for a drive without a size, or for no drive. */
export function parseSize(drive: string): number | undefined {
  const [, digits, unit = ''] =
    /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(getProperty(drive, 'size') ?? '') ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 1)
}
