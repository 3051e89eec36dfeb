import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { toAppError } from '../port/hypervisor-errors.ts'

/**
 * Never a cluster: link-local, which includes the metadata services of clouds, "this host",
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

const refused = (path: 'host' | 'port', message: string) =>
  new AppError('INVALID_INPUT', message, { details: [{ path, message }] })

/**
 * Refuses addresses that are never a cluster. Checks every address the name resolves to, not its
 * spelling: `127.1`, `0x7f.1` and a name that points there are the same. Private networks are
 * allowed, because clusters are there. A later change of the name gains nothing: no credential is
 * sent before the certificate is confirmed.
 */
export async function checkAddress(
  { host, port }: { host: string; port: number },
  { allowsLoopback }: { allowsLoopback: boolean },
): Promise<void> {
  if (port !== 443 && port < 1024) {
    throw refused('port', 'Port must be 443 or from 1024 up: Proxmox VE listens on 8006.')
  }
  for (const address of await addressesOf(host)) {
    const kind = addressKind(address)
    if (kind === 'never') {
      throw refused('host', 'Host must not be a link-local, multicast or metadata address.')
    }
    if (!allowsLoopback && kind === 'loopback') {
      throw refused('host', 'Host must not be this machine itself: use its address in the network.')
    }
  }
}

/** Whether the server connects to such an address: never, to this machine itself, or anywhere. */
export function addressKind(address: string): 'never' | 'loopback' | 'other' {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  if (never.check(address, family)) return 'never'
  return loopback.check(address, family) ? 'loopback' : 'other'
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (host.includes(':')) {
    throw refused('host', 'Host must be a name or an address, without https:// and without a path')
  }
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (cause) {
    const failure = { kind: 'unreachable', reason: 'unknown-host' } as const
    throw toAppError(new ProxmoxError(failure, 'the name cannot be resolved', { cause }))
  }
}
