import { type Pool, PoolBody } from '#shared/api/servers/pools.ts'
import { parseCidr } from '#shared/rules/network/cidr.ts'
import { checked } from '../../lib/forms/zod-resolver.ts'

/** As typed: one range, and one reserved address, per line. */
export type PoolFields = {
  clusterId: string
  name: string
  cidr: string
  gateway: string
  ranges: string
  reserved: string
  bridge: string
  vlan: string
  nameservers: string
  searchDomain: string
  rdns: string
  rdnsPattern: string
  prefixPerServer: string
}

export const EMPTY_POOL: PoolFields = {
  clusterId: '',
  name: '',
  cidr: '',
  gateway: '',
  ranges: '',
  reserved: '',
  bridge: 'vmbr0',
  vlan: '',
  nameservers: '',
  searchDomain: '',
  rdns: '',
  rdnsPattern: '',
  prefixPerServer: '',
}

const orEmpty = (value: number | string | null) => (value === null ? '' : String(value))

export const fieldsOf = (pool: Pool): PoolFields => ({
  clusterId: String(pool.clusterId),
  name: pool.name,
  cidr: pool.cidr,
  gateway: pool.gateway,
  ranges: pool.ranges.map(({ first, last }) => `${first} - ${last}`).join('\n'),
  reserved: pool.reserved.map(({ address, reason }) => `${address} ${reason}`.trim()).join('\n'),
  bridge: pool.bridge,
  vlan: orEmpty(pool.vlan),
  nameservers: pool.nameservers.join(', '),
  searchDomain: pool.searchDomain,
  rdns: orEmpty(pool.rdns),
  rdnsPattern: orEmpty(pool.rdnsPattern),
  prefixPerServer: orEmpty(pool.prefixPerServer),
})

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
const number = (text: string) => (text.trim() === '' ? null : Number(text))

/** A single address is a range of one. */
function rangeOf(line: string) {
  const [first = '', last = first] = line.split(/\s*[-–]\s*|\s+to\s+|\s+/)
  return { first, last }
}

function reservedOf(line: string) {
  const [address = ''] = line.split(/\s/, 1)
  return { address, reason: line.slice(address.length).trim() }
}

/** The network itself says which family it is of. */
export const bodyOf = (fields: PoolFields) => ({
  clusterId: Number(fields.clusterId),
  name: fields.name,
  family: parseCidr(fields.cidr)?.family ?? (fields.cidr.includes(':') ? 6 : 4),
  cidr: fields.cidr.trim(),
  gateway: fields.gateway.trim(),
  ranges: lines(fields.ranges).map(rangeOf),
  reserved: lines(fields.reserved).map(reservedOf),
  bridge: fields.bridge.trim(),
  vlan: number(fields.vlan),
  nameservers: fields.nameservers.split(/[\s,;]+/).filter(Boolean),
  searchDomain: fields.searchDomain.trim() || 'localdomain',
  rdns: fields.rdns.trim() || null,
  rdnsPattern: fields.rdnsPattern.trim() || null,
  prefixPerServer: number(fields.prefixPerServer),
})

/** The schema's sentences; a field of several lines says which one is meant. */
export function checkPool(fields: PoolFields) {
  const issues = PoolBody.safeParse(bodyOf(fields)).error?.issues ?? []
  return checked(
    issues.map(({ path, message }) => {
      const [field, index] = path
      const isLine = field === 'ranges' || field === 'reserved'
      const where = isLine && typeof index === 'number' ? `Line ${index + 1}: ` : ''
      return { path, message: `${where}${message}` }
    }),
  )
}
