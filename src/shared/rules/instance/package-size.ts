import { type InstanceSize, sizeFromName } from './instance-size.ts'

type PackageTexts = { cpu: string; ram: string; storage: string }

/** The number of GB in a free text: "4 GB", "512 MB", "1 TB"; undefined where it states none. */
function gigabytes(text: string): number | undefined {
  const match = /(\d{1,6}(?:\.\d{1,2})?)\s*(MB|GB|TB|[MGT]i?B?\b)?/i.exec(text)
  if (!match) return undefined
  const unit = (match[2] ?? 'G').charAt(0).toUpperCase()
  const factor = unit === 'T' ? 1024 : unit === 'M' ? 1 / 1024 : 1
  return Math.max(1, Math.round(Number(match[1]) * factor))
}

/** The size of a package, whose facts are free text, in the words used in a server's name (T12). */
export function sizeInWords({ cpu, ram, storage }: PackageTexts): string {
  const kind = /HDD/i.test(storage) ? 'HDD' : 'SSD'
  const cores = /\d{1,3}/.exec(cpu)?.[0]
  const words = [
    cores === undefined ? undefined : `${cores} CPU`,
    gigabytes(ram) === undefined ? undefined : `${gigabytes(ram)} GB RAM`,
    gigabytes(storage) === undefined ? undefined : `${gigabytes(storage)} GB ${kind}`,
  ]
  return words.filter((word) => word !== undefined).join(', ')
}

export const packageSize = (plan: PackageTexts): InstanceSize => sizeFromName(sizeInWords(plan))
