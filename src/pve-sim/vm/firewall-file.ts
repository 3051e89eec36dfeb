import { createHash } from 'node:crypto'
import type { ClusterData, IpsetEntry, VmFirewall } from '../state/types.ts'
import { die } from '../wire/errors.ts'

const emptyFile = (): VmFirewall => ({ options: {}, ipsets: {}, rules: [] })

/** Proxmox does not check that the VM exists: the file of an id without a VM can be written, too. */
export const readFirewall = (data: ClusterData, vmid: number): VmFirewall =>
  structuredClone(data.firewalls?.get(vmid)) ?? emptyFile()

/** An empty file is removed; sets are stored sorted. */
export function writeFirewall(data: ClusterData, vmid: number, file: VmFirewall): void {
  const isEmpty =
    Object.keys(file.options).length + Object.keys(file.ipsets).length + file.rules.length === 0
  data.firewalls ??= new Map()
  if (isEmpty) data.firewalls.delete(vmid)
  else data.firewalls.set(vmid, withSortedSets(file))
}

const withSortedSets = (file: VmFirewall): VmFirewall => ({
  ...file,
  ipsets: Object.fromEntries(
    Object.entries(file.ipsets)
      .sort(byKey)
      .map(([name, set]) => [name, { ...set, entries: [...set.entries].sort(byCidr) }]),
  ),
})

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
const byCidr = (a: IpsetEntry, b: IpsetEntry) => (a.cidr < b.cidr ? -1 : 1)

/** A clone starts with its source's rules, or with none: what its id had before is gone. */
export function cloneFirewall(data: ClusterData, from: number, to: number): void {
  const source = data.firewalls?.get(from)
  if (source) data.firewalls?.set(to, structuredClone(source))
  else data.firewalls?.delete(to)
}

type Row = Readonly<Record<string, unknown>>

const linesOf = (row: Row) =>
  Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .sort(byKey)
    .map(([key, value]) => `${key}:${value}\n`)
    .join('')

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

export const digestOf = (rows: Row | readonly Row[]): string =>
  sha1(Array.isArray(rows) ? rows.map(linesOf).join('') : linesOf(rows as Row))

/** Every row repeats the digest of the whole list. */
export function withDigest<R extends Row>(rows: readonly R[]): (R & { digest: string })[] {
  const digest = digestOf(rows)
  return rows.map((row) => ({ ...row, digest }))
}

export function requireSameFirewall(rows: Row | readonly Row[], given: string | undefined): void {
  if (given === undefined || given === '' || given === digestOf(rows)) return
  throw die('detected modified configuration - file changed by other user? Try again.')
}
