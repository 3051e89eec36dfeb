import { startPostgres } from '../../src/server/testing/postgres.ts'
import { removeFolder, signIn, startProduct } from '../../src/server/testing/server-process.ts'
import { atLeast, type Figure } from '../figure.ts'
import { perSecond, shareOf } from '../share.ts'
import { bareServer } from './bare-server.ts'

const GOAL = 0.6

const rate = (ask: () => Promise<Response>) =>
  perSecond(async () => {
    const reply = await ask()
    if (!reply.ok) throw new Error(`answered ${reply.status}`)
    await reply.arrayBuffer()
  })

/** A signed-in list against the bare baseline, on the same machine and database in the same run. */
export async function measureList(): Promise<Figure[]> {
  const postgres = await startPostgres()
  const server = await startProduct({
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the benchmark, long enough',
  })
  const bare = await bareServer(postgres.url)
  try {
    const call = await signIn(server.url)
    const { share, limit } = await shareOf(
      () => rate(() => call('/api/packages')),
      () => rate(() => fetch(`${bare.address}/list`)),
    )
    return [atLeast(`signed-in list, share of bare Fastify + pg (${limit}/s)`, share, GOAL)]
  } finally {
    await bare.close()
    await server.stop()
    await postgres.stop()
    removeFolder(server.dataDir)
  }
}
