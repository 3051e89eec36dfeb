import { signIn } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure, percentile95, timed } from '../figure.ts'
import { withLargeCluster, withServer } from '../with-server.ts'

const ROUNDS = 100

/** A cluster of 100 nodes and 10 000 VMs, as an operator with PostgreSQL uses it. */
export const measureOperator = (): Promise<Figure[]> =>
  withLargeCluster((sim) =>
    withServer(async ({ server }) => {
      const call = await signIn(server.url)
      const first = await timed(() => addCluster(call, sim))
      await post(call, '/api/sync/proxmox')
      const again = await timed(() => post(call, '/api/sync/proxmox'))
      const lists: number[] = []
      for (let n = 0; n < ROUNDS; n += 1) {
        lists.push(await timed(async () => (await call('/api/instances')).arrayBuffer()))
      }
      return [
        atMost('add a cluster of 10 000 VMs: connect, check, full sync', first, 5000, 'ms'),
        atMost('sync it again, nothing changed', again, 1000, 'ms'),
        atMost('GET /api/instances of 10 000, p95', percentile95(lists), 150, 'ms'),
      ]
    }),
  )
