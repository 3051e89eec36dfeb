import { startSim } from '#pve-sim/sim.ts'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { removeFolder, signIn, startProcess } from '../src/server/testing/server-process.ts'
import { addCluster, post } from './add-cluster.ts'
import { atMost, type Figure, timed } from './figure.ts'

const ROUNDS = 40

/** A cluster of 100 nodes and 10 000 VMs, as an operator with PostgreSQL meets it. */
export async function measureOperator(): Promise<Figure[]> {
  const sim = await startSim({ seed: 1, nodes: 100, vms: 10_000, authDelayMs: 0 })
  const postgres = await startPostgres()
  const server = await startProcess({
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the benchmark, long enough',
    // Loopback is a place for a cluster only in a demo (decision 006).
    DEMO: '1',
  })
  try {
    const call = await signIn(server.url)
    const first = await timed(() => addCluster(call, sim))
    await post(call, '/api/sync/proxmox')
    const again = await timed(() => post(call, '/api/sync/proxmox'))
    const lists: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) {
      lists.push(await timed(async () => (await call('/api/instances')).arrayBuffer()))
    }
    const p95 = lists.toSorted((a, b) => a - b)[Math.floor(ROUNDS * 0.95)] ?? Number.NaN
    return [
      atMost('add a cluster of 10 000 VMs: connect, check, full sync', first, 5000, 'ms'),
      atMost('sync it again, nothing changed', again, 1000, 'ms'),
      atMost('GET /api/instances of 10 000, p95', p95, 150, 'ms'),
    ]
  } finally {
    await server.stop()
    await postgres.stop()
    await sim.close()
    removeFolder(server.dataDir)
  }
}
