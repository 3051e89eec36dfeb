import { statedSize } from './instance-size.ts'

const GIB = 1024 ** 3

/** What a VM really has, as its cluster counts it; an unknown part is undefined. */
export type RealSize = {
  cpu: number | undefined
  memoryBytes: number | undefined
  diskBytes: number | undefined
}

/** "2 CPU, 4 GB RAM, 40 GB disk", as far as known. */
export function realSizeWords({ cpu, memoryBytes, diskBytes }: RealSize): string {
  const gigabytes = (bytes: number) => Math.round((bytes / GIB) * 10) / 10
  const words = [
    cpu === undefined ? undefined : `${cpu} CPU`,
    memoryBytes === undefined ? undefined : `${gigabytes(memoryBytes)} GB RAM`,
    diskBytes === undefined ? undefined : `${gigabytes(diskBytes)} GB disk`,
  ]
  return words.filter((word) => word !== undefined).join(', ')
}

/** A disk or memory this close to the size sold does not count as smaller. */
const TOLERANCE = 0.98

/**
 * In which parts a VM falls short of the size its future name promises, in words; undefined where
 * it does not, or where the name or the cluster does not say.
 */
export function shortfallOf(name: string, real: RealSize): string | undefined {
  const sold = statedSize(name)
  const parts = [
    isLess(real.cpu, sold.cpu) ? `${real.cpu} instead of ${sold.cpu} CPU` : undefined,
    isLess(real.memoryBytes, times(sold.ramGb))
      ? `${inGb(real.memoryBytes)} instead of ${sold.ramGb} GB RAM`
      : undefined,
    isLess(real.diskBytes, times(sold.diskGb))
      ? `${inGb(real.diskBytes)} instead of ${sold.diskGb} GB disk`
      : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(', ')
}

const times = (gigabytes: number | undefined) =>
  gigabytes === undefined ? undefined : gigabytes * GIB

const inGb = (bytes: number | undefined) => Math.round(((bytes ?? 0) / GIB) * 10) / 10

const isLess = (has: number | undefined, sold: number | undefined): boolean =>
  has !== undefined && sold !== undefined && has < sold * TOLERANCE
