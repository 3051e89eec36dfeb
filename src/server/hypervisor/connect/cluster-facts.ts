import { holds } from '#proxmox/calls/access.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import type { ClusterFacts } from '../port/hypervisor.ts'

/** What our credentials can create VMs with; read once, when a cluster is added or examined. */
export async function clusterFacts(client: ProxmoxClient): Promise<ClusterFacts> {
  const [permissions, nodes] = await Promise.all([client.access.permissions(), client.nodes.list()])
  const poolsWith = (privilege: string) =>
    [...permissions.keys()]
      .flatMap((path) => /^\/pool\/(.+)$/.exec(path)?.[1] ?? [])
      .filter((pool) => holds(permissions, `/pool/${pool}`, privilege))
  const online = nodes.find(({ status }) => status === 'online')
  return {
    pools: poolsWith('VM.Allocate'),
    templatePools: poolsWith('VM.Clone'),
    bridges: online ? await bridgesOf(client, online.node) : [],
  }
}

/** Bridges are optional: a node that does not list them is not a failure. */
async function bridgesOf(client: ProxmoxClient, node: string): Promise<ClusterFacts['bridges']> {
  try {
    const found = await client.nodes.network(node, { type: 'any_bridge' })
    return found.map(({ iface, cidr, gateway }) => ({ name: iface, cidr, gateway }))
  } catch (error) {
    if (isProxmoxError(error)) return []
    throw error
  }
}
