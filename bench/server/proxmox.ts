import { Agent, request } from 'undici'
import { startSim } from '#pve-sim/sim.ts'
import type { Inventory } from '../../src/server/hypervisor/port/hypervisor.ts'
import { proxmoxHypervisor } from '../../src/server/hypervisor/proxmox/proxmox-hypervisor.ts'
import { instanceChanges, nodeChanges } from '../../src/server/inventory/sync/inventory-diff.ts'
import { atMost, type Figure, median, timed } from '../figure.ts'

const ROUNDS = 9

/**
 * Reads the inventory of 10 000 VMs with our client, against a bare fetch and JSON.parse of the
 * same.
 */
export async function measureProxmox(): Promise<Figure[]> {
  const startedAt = performance.now()
  const sim = await startSim({ seed: 1, nodes: 100, vms: 10_000, authDelayMs: 0 })
  const startMs = performance.now() - startedAt
  const hypervisor = proxmoxHypervisor({
    host: sim.host,
    port: sim.port,
    username: sim.apiToken.id,
    secret: sim.apiToken.secret,
    certificate: { fingerprint: sim.fingerprint, pem: sim.certPem },
  })
  const dispatcher = new Agent({
    connect: { ca: sim.caPem, checkServerIdentity: () => undefined },
  })
  const bare = async () => {
    const { body } = await request(`${sim.url}/api2/json/cluster/resources`, {
      dispatcher,
      headers: { authorization: `PVEAPIToken=${sim.apiToken.id}=${sim.apiToken.secret}` },
    })
    JSON.parse(await body.text())
  }
  try {
    const times = { ours: [] as number[], bare: [] as number[] }
    const known = rowsOf(await hypervisor.listInventory())
    let changed = 0
    const readAndDiff = async () => {
      changed += changesOf(await hypervisor.listInventory(), known)
    }
    for (let n = 0; n < ROUNDS; n += 1) {
      times.bare.push(await timed(bare))
      times.ours.push(await timed(readAndDiff))
    }
    return [
      atMost('simulator: 100 nodes and 10 000 VMs started', startMs, 3000, 'ms'),
      atMost('simulator: /cluster/resources of 10 000 VMs', median(times.bare), 150, 'ms'),
      atMost(
        'inventory of 10 000 VMs, read and compared, against fetch + JSON.parse',
        median(times.ours) / median(times.bare),
        2,
        '×',
      ),
      atMost('rows an unchanged inventory would write', changed, 0, 'rows'),
    ]
  } finally {
    await hypervisor.close()
    await dispatcher.close()
    await sim.close()
  }
}

const NODE_ID = 1

/** The rows that a first sync would have written. */
function rowsOf({ vms, nodes }: Inventory) {
  const at = new Date()
  return {
    instances: vms.map(({ vmId, name, state }) => ({
      vmId,
      name: name || `VM-${vmId}`,
      nodeId: NODE_ID,
      status: state as string,
      missingSince: null,
      lastUpdated: at,
    })),
    nodes: nodes.map((node) => ({
      name: node.name,
      status: node.state as string,
      vmCount: node.vmCount,
      memoryTotal: node.memoryTotal ?? null,
      storageTotal: node.storageTotal ?? null,
    })),
  }
}

/** How many rows differ from the answer: the same comparison that the sync makes. */
function changesOf({ vms, nodes }: Inventory, known: ReturnType<typeof rowsOf>): number {
  const now = new Date()
  const seen = vms.map((vm) => ({
    ...vm,
    nodeId: NODE_ID,
    asOf: now,
    certainAt: now,
    lastKnown: vm.state,
  }))
  const ofInstances = instanceChanges(seen, known.instances, { gone: new Set(), now })
  return ofInstances.changed.length + nodeChanges(nodes, known.nodes).changed.length
}
