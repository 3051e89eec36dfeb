import { signIn } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure, percentile95, timed } from '../figure.ts'
import { withLargeCluster, withServer } from '../with-server.ts'
import { bareServer } from './bare-server.ts'

const ROUNDS = 400
const WARM = 100

/** The page of one server among 10 000, against the bare list in the same run, call by call. */
export const measureServerPage = (): Promise<Figure[]> =>
  withLargeCluster((sim) =>
    withServer(async ({ server, databaseUrl }) => {
      const call = await signIn(server.url)
      await addCluster(call, sim)
      await post(call, '/api/sync/proxmox')
      const rows = (await (await call('/api/instances')).json()) as { id: number }[]
      const bare = await bareServer(databaseUrl)
      try {
        const pages: number[] = []
        const lists: number[] = []
        for (let n = 0; n < WARM + ROUNDS; n += 1) {
          const { id } = rows[(n * 7919) % rows.length] ?? { id: 0 }
          const page = await timed(async () => (await call(`/api/instances/${id}`)).arrayBuffer())
          const list = await timed(async () => (await fetch(`${bare.address}/list`)).arrayBuffer())
          if (n < WARM) continue
          pages.push(page)
          lists.push(list)
        }
        const what = `page of one server of ${rows.length}, p95 ${percentile95(pages).toFixed(1)} ms, against the bare list`
        return [atMost(what, percentile95(pages) / percentile95(lists), 1.5, '×')]
      } finally {
        await bare.close()
      }
    }),
  )
