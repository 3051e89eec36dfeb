import { Agent, request } from 'undici'
import { startSim } from '#pve-sim/sim.ts'
import { proxmoxHypervisor } from '../src/server/hypervisor/proxmox-hypervisor.ts'
import { atMost, type Figure, median, timed } from './figure.ts'

const ROUNDS = 9

/** The inventory of 10 000 VMs as we read it, against a bare fetch and JSON.parse of the same. */
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
    for (let n = 0; n < ROUNDS; n += 1) {
      times.bare.push(await timed(bare))
      times.ours.push(await timed(() => hypervisor.listInventory()))
    }
    return [
      atMost('simulator: 100 nodes and 10 000 VMs started', startMs, 3000, 'ms'),
      atMost('simulator: /cluster/resources of 10 000 VMs', median(times.bare), 150, 'ms'),
      atMost(
        'inventory of 10 000 VMs against fetch + JSON.parse',
        median(times.ours) / median(times.bare),
        2,
        '×',
      ),
    ]
  } finally {
    await hypervisor.close()
    await dispatcher.close()
    await sim.close()
  }
}
