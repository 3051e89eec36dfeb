import { signIn } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure, median, percentile95, timed } from '../figure.ts'
import { withLargeCluster, withServer } from '../with-server.ts'
import { bareServer } from './bare-server.ts'

const ROUNDS = 5
const CALLS = 1000
const WARM = 500

type Times = { page: number[]; own: number[]; bare: number[] }

/**
 * The page of one server among 10 000, in the same run and call by call: against the bare list, and
 * against our own signed-in list, which has the same session, limits and headers to pay for. All
 * three are asked with the same headers. The figure is that of the middle one of five rounds.
 */
export const measureServerPage = (): Promise<Figure[]> =>
  withLargeCluster((sim) =>
    withServer(async ({ server, databaseUrl }) => {
      const call = await signIn(server.url)
      await addCluster(call, sim)
      await post(call, '/api/sync/proxmox')
      const rows = (await (await call('/api/instances')).json()) as { id: number }[]
      const bare = await bareServer(databaseUrl)
      const idAt = (n: number) => rows[(n * 7919) % rows.length]?.id ?? 0
      const took = (ask: () => Promise<Response>) => timed(async () => (await ask()).arrayBuffer())
      const round = async (calls: number): Promise<Times> => {
        const times: Times = { page: [], own: [], bare: [] }
        for (let n = 0; n < calls; n += 1) {
          times.page.push(await took(() => call(`/api/instances/${idAt(n)}`)))
          times.own.push(await took(() => call('/api/packages')))
          times.bare.push(await took(() => call('/list', {}, bare.address)))
        }
        return times
      }
      try {
        await round(WARM)
        const rounds: Times[] = []
        for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(CALLS))
        const page = median(rounds.map((times) => percentile95(times.page)))
        const against = (list: string, of: 'own' | 'bare') => {
          const ratios = rounds.map((times) => percentile95(times.page) / percentile95(times[of]))
          const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
          const what = `page of one server of ${rows.length}, p95 ${page.toFixed(1)} ms, against ${list} (${range})`
          return atMost(what, median(ratios), 1.5, '×')
        }
        return [against('the bare list', 'bare'), against('our signed-in list', 'own')]
      } finally {
        await bare.close()
      }
    }),
  )
