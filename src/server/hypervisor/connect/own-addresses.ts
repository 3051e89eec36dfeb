import { isIPv4 } from 'node:net'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'

/** A request that is refused or unanswered counts as empty. */
async function orNothing<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return await asked
  } catch (error) {
    if (isProxmoxError(error)) return []
    throw error
  }
}

/** Every address of the cluster itself: no client may ever get one of them. */
export async function ownAddresses(client: ProxmoxClient): Promise<string[]> {
  const { nodes } = await client.cluster.status()
  const found = new Set(nodes.flatMap(({ ip }) => ip ?? []))
  for (const { name, isOnline } of nodes) {
    if (!isOnline) continue
    for (const { address, cidr, gateway } of await orNothing(client.nodes.network(name))) {
      for (const one of [address, cidr?.split('/')[0], gateway]) if (one) found.add(one)
    }
  }
  return [...found].filter((address) => isIPv4(address)).sort()
}
