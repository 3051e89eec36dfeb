import { signIn } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure, percentile95, timed } from '../figure.ts'
import { withLargeCluster, withServer } from '../with-server.ts'
import { bareServer } from './bare-server.ts'

const ROUNDS = 2000
const WARM = 500

type Times = { page: number[]; own: number[]; bare: number[] }

/**
 * The page of one server among 10 000, in the same run and call by call: against the bare list, and
 * against our own signed-in list, which has the same session, limits and headers to pay for.
 */
export const measureServerPage = (): Promise<Figure[]> =>
  withLargeCluster((sim) =>
    withServer(async ({ server, databaseUrl }) => {
      const call = await signIn(server.url)
      await addCluster(call, sim)
      await post(call, '/api/sync/proxmox')
      const rows = (await (await call('/api/instances')).json()) as { id: number }[]
      const bare = await bareServer(databaseUrl)
      try {
        const times: Times = { page: [], own: [], bare: [] }
        for (let n = 0; n < WARM + ROUNDS; n += 1) {
          const { id } = rows[(n * 7919) % rows.length] ?? { id: 0 }
          const page = await timed(async () => (await call(`/api/instances/${id}`)).arrayBuffer())
          const own = await timed(async () => (await call('/api/packages')).arrayBuffer())
          const list = await timed(async () => (await fetch(`${bare.address}/list`)).arrayBuffer())
          if (n < WARM) continue
          times.page.push(page)
          times.own.push(own)
          times.bare.push(list)
        }
        const page = percentile95(times.page)
        const against = (list: string, of: number[]) => {
          const what = `page of one server of ${rows.length}, p95 ${page.toFixed(1)} ms`
          return atMost(`${what}, against ${list}`, page / percentile95(of), 1.5, '×')
        }
        return [against('the bare list', times.bare), against('our signed-in list', times.own)]
      } finally {
        await bare.close()
      }
    }),
  )
