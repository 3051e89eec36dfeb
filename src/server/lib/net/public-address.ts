import { BlockList, isIP } from 'node:net'
import { addressKind } from './address-kind.ts'
import { isInside } from './guarded-lookup.ts'

/** Reserved, for documentation, or a way to write another address. */
const RESERVED: [string, number, 'ipv4' | 'ipv6'][] = [
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['::ffff:0:0:0', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
  ['5f00::', 16, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
]
const reserved = new BlockList()
for (const network of RESERVED) reserved.addSubnet(...network)

/** Reachable over the internet, from anywhere: not private, not reserved, not our own. */
export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 &&
  addressKind(address) === 'other' &&
  !isInside(address) &&
  !reserved.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
