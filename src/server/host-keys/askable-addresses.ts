import { BlockList, isIP } from 'node:net'
import type { Db } from '../db/database.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { addressKind } from '../lib/net/address-kind.ts'

/** Nothing answers there (RFC 5737, RFC 3849); the servers of the demo have such addresses. */
const examples = new BlockList()
examples.addSubnet('192.0.2.0', 24)
examples.addSubnet('198.51.100.0', 24)
examples.addSubnet('203.0.113.0', 24)
examples.addSubnet('2001:db8::', 32, 'ipv6')

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/**
 * Tells to which addresses we connect: never to a cluster, whatever a token says, nor to what is
 * never a server.
 */
export async function askableAddresses(
  db: Db,
  { demo }: { demo: boolean },
): Promise<(address: string) => boolean> {
  const rows = await db
    .select({ host: clusters.host, own: clusters.ownAddresses, others: clusters.otherHosts })
    .from(clusters)
  const ofClusters = new BlockList()
  for (const { host, own, others } of rows) {
    for (const address of [host, ...own, ...others.map((other) => other.host)]) {
      if (isIP(address) !== 0) ofClusters.addAddress(address, familyOf(address))
    }
  }
  return (address) => {
    if (isIP(address) === 0 || address.includes('%')) return false
    const kind = addressKind(address)
    if (kind === 'never' || (kind === 'loopback' && !demo)) return false
    if (demo && examples.check(address, familyOf(address))) return false
    return !ofClusters.check(address, familyOf(address))
  }
}
