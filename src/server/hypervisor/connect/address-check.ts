import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { addressKind } from '../../lib/net/address-kind.ts'
import { toAppError } from '../port/hypervisor-errors.ts'

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
