import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { BLOCK, layOutMore } from '../../src/server/addresses/lay-out.ts'
import { takeFreeAddress } from '../../src/server/addresses/take-address.ts'
import { pools } from '../../src/server/db/schema/addresses.ts'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { inDatabase } from '../../src/server/testing/prepare.ts'
import { removeFolder } from '../../src/server/testing/server-process.ts'
import { atMost, type Figure, timed } from '../figure.ts'

const AT_ONCE = 4
const ROUNDS = 4000
const WARM = 200
const LIMIT = 2

const percentile99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN

/**
 * Taking an address, against one bare `UPDATE … RETURNING … SKIP LOCKED` on a table with nothing
 * else in it. Both inside a transaction, as an order's, by several callers at once and in turns.
 */
export async function measureAddresses(): Promise<Figure[]> {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-bench-'))
  const env = { DATABASE_URL: postgres.url, SECRET_KEY: 'a key for the benchmark, long enough' }
  try {
    return await inDatabase(env, folder, async ({ db }) => {
      const row = { uid: 'x', name: 'X', host: 'x.example', username: 'x@pam', password: 'x' }
      const [cluster] = await db.insert(clusters).values(row).returning({ id: clusters.id })
      const clusterId = cluster?.id ?? 0
      await db.insert(pools).values({
        clusterId,
        name: 'Bench',
        family: 4,
        cidr: '10.0.0.0/8',
        gateway: '10.0.0.1',
        bridge: 'vmbr0',
        nameservers: ['9.9.9.9'],
        searchDomain: 'bench.example',
        ranges: [{ first: '10.0.0.2', last: '10.255.255.254' }],
      })
      // As the sweep does ahead of the orders; a whole day of them at once.
      await db.transaction(async (tx) => {
        for (let rows = 0; rows < 2 * ROUNDS; rows += BLOCK) {
          await layOutMore(tx, { clusterId, family: 4 })
        }
      })
      await db.execute(sql`create table bare (id serial primary key, state text not null)`)
      await db.execute(sql`create index on bare (id) where state = 'free'`)
      await db.execute(
        sql`insert into bare (state) select 'free' from generate_series(1, ${2 * ROUNDS})`,
      )
      const now = new Date()
      const times = { ours: [] as number[], bare: [] as number[] }
      const ours = () =>
        db.transaction(async (tx) => {
          const wanted = { clusterId, family: 4, now } as const
          times.ours.push(await timed(() => takeFreeAddress(tx, wanted)))
        })
      const bare = () =>
        db.transaction(async (tx) => {
          const statement = sql`update bare set state = 'held' where id = (
            select id from bare where state = 'free' order by id limit 1 for update skip locked
          ) returning id`
          times.bare.push(await timed(() => tx.execute(statement)))
        })
      const caller = async () => {
        for (let n = 0; n < ROUNDS / AT_ONCE; n += 1) {
          await ours()
          await bare()
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, caller))
      const ratio = percentile99(times.ours.slice(WARM)) / percentile99(times.bare.slice(WARM))
      const what = 'taking an address: p99 against a bare UPDATE … SKIP LOCKED'
      return [atMost(what, ratio, LIMIT, '×')]
    })
  } finally {
    await postgres.stop()
    removeFolder(folder)
  }
}
