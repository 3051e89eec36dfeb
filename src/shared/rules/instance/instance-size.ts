export type InstanceSize = { cpu: number; ramGb: number; diskGb: number; diskKind: 'SSD' | 'HDD' }

const DEFAULT_SIZE: InstanceSize = { cpu: 1, ramGb: 1, diskGb: 25, diskKind: 'SSD' }

/** More than any machine has: a typo in a name must not order a thousand cores. */
const MOST = { cpu: 128, ramGb: 1024, diskGb: 16_384 }

const CPU = /(\d{1,6})\s*v?CPUs?\b/i
const RAM = /(\d{1,6})\s*GB\s*RAM\b/i
const DISK = /(\d{1,6})\s*GB\s*(SSD|HDD)\b/i

/** Only what the name states; the rest is absent. */
export function statedSize(name: string): Partial<Omit<InstanceSize, 'diskKind'>> {
  const { cpu, ramGb, diskGb } = sizeFromName(name)
  return {
    ...(CPU.test(name) && { cpu }),
    ...(RAM.test(name) && { ramGb }),
    ...(DISK.test(name) && { diskGb }),
  }
}

/** The size stated in a token's name: "2 CPU", "4 GB RAM", "80 GB SSD" or "80 GB HDD" (T12). */
export function sizeFromName(name: string): InstanceSize {
  const disk = DISK.exec(name)
  return {
    cpu: within(CPU.exec(name)?.[1], DEFAULT_SIZE.cpu, MOST.cpu),
    ramGb: within(RAM.exec(name)?.[1], DEFAULT_SIZE.ramGb, MOST.ramGb),
    diskGb: within(disk?.[1], DEFAULT_SIZE.diskGb, MOST.diskGb),
    diskKind: disk?.[2]?.toUpperCase() === 'HDD' ? 'HDD' : 'SSD',
  }
}

function within(digits: string | undefined, otherwise: number, most: number): number {
  const value = Number(digits ?? 0)
  return value >= 1 && value <= most ? value : otherwise
}
