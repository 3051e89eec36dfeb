import { BlockList, isIP } from 'node:net'

/**
 * Never called: link-local, which includes the metadata services of clouds, "this host",
 * multicast.
 */
const NEVER: [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]
const LOOPBACK: typeof NEVER = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
]

const listOf = (networks: typeof NEVER) => {
  const list = new BlockList()
  for (const network of networks) list.addSubnet(...network)
  return list
}
const never = listOf(NEVER)
const loopback = listOf(LOOPBACK)

/** Whether the server connects to such an address: never, to this machine itself, or anywhere. */
export function addressKind(address: string): 'never' | 'loopback' | 'other' {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  if (never.check(address, family)) return 'never'
  return loopback.check(address, family) ? 'loopback' : 'other'
}
