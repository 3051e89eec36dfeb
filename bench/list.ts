import Fastify from 'fastify'
import pg from 'pg'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { removeFolder, signIn, startProcess } from '../src/server/testing/server-process.ts'
import { atLeast, type Figure } from './figure.ts'

const SECONDS = 5
const AT_ONCE = 16
const GOAL = 0.6

/** Requests a second by several callers at once, bounded in time. */
async function rate(ask: () => Promise<Response>): Promise<number> {
  let done = 0
  const end = performance.now() + SECONDS * 1000
  const caller = async () => {
    while (performance.now() < end) {
      const reply = await ask()
      if (!reply.ok) throw new Error(`answered ${reply.status}`)
      await reply.arrayBuffer()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, caller))
  return done / SECONDS
}

/** The limit: Fastify with one prepared query for the session and one for the list. */
async function bareServer(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const app = Fastify()
  app.get('/list', async () => {
    await pool.query({
      name: 's',
      text: 'select * from sessions join users on users.id = user_id limit 1',
    })
    const { rows } = await pool.query({
      name: 'l',
      text: 'select * from packages order by price_cents',
    })
    return rows
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    address,
    async close() {
      await app.close()
      await pool.end()
    },
  }
}

/** A signed-in list against the bare limit, same machine, same database, same run. */
export async function measureList(): Promise<Figure[]> {
  const postgres = await startPostgres()
  const server = await startProcess({
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the benchmark, long enough',
  })
  const bare = await bareServer(postgres.url)
  try {
    const call = await signIn(server.url)
    await rate(() => call('/api/packages'))
    const ours = await rate(() => call('/api/packages'))
    const limit = await rate(() => fetch(`${bare.address}/list`))
    return [
      atLeast(
        `signed-in list, share of bare Fastify + pg (${Math.round(limit)}/s)`,
        ours / limit,
        GOAL,
      ),
    ]
  } finally {
    await bare.close()
    await server.stop()
    await postgres.stop()
    removeFolder(server.dataDir)
  }
}
