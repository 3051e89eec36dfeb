import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from '../db/connect/postgres.ts'
import type { Database } from '../db/database.ts'
import { addresses, pools } from '../db/schema/addresses.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { testPostgresUrl } from '../testing/test-db.ts'
import { settleAddresses } from './settle-addresses.ts'
import { takeFreeAddress } from './take-address.ts'

const PROCESSES = 4
const AT_ONCE = 4
const ALLOCATIONS = 10_000
/** Fewer than are wanted at times, so that some find nothing and some wait for the last. */
const RANGE = { first: '10.9.0.2', last: '10.9.0.13' }
const SIZE = 12

/** Each with its own connections, as the processes of one installation have. */
const opened: Database[] = []
beforeAll(async () => {
  const url = await testPostgresUrl()
  for (let n = 0; n < PROCESSES; n += 1) {
    opened.push(await openPostgres({ url, onError: (error) => process.emitWarning(error) }))
  }
})
afterAll(async () => {
  for (const database of opened) await database.close()
})

test('ten thousand allocations and releases: no address twice, none lost', async () => {
  const [first] = opened
  if (!first) throw new Error('no database was opened')
  const row = { uid: 'x', name: 'X', host: 'x.example', username: 'x@pam', password: 'x' }
  const [cluster] = await first.db.insert(clusters).values(row).returning({ id: clusters.id })
  const clusterId = cluster?.id ?? 0
  await first.db.insert(pools).values({
    clusterId,
    name: 'Race',
    family: 4,
    cidr: '10.9.0.0/24',
    gateway: '10.9.0.1',
    bridge: 'vmbr0',
    nameservers: ['9.9.9.9'],
    searchDomain: 'test.example',
    ranges: [RANGE],
  })
  const now = new Date()
  const inUse = new Set<string>()
  const seen = { left: ALLOCATIONS, twice: [] as string[], none: 0, rolledBack: 0 }
  let turn = 0

  /** Takes one and gives it back; every tenth transaction ends without a result. */
  const once = async ({ db }: Database) => {
    turn += 1
    const isKilled = turn % 10 === 0
    const take = db.transaction(async (tx) => {
      const address = await takeFreeAddress(tx, { clusterId, family: 4, now })
      if (isKilled) throw new Error('killed')
      return address
    })
    if (isKilled) {
      await expect(take).rejects.toThrow('killed')
      seen.rolledBack += 1
      return
    }
    const address = await take
    if (address === undefined) {
      seen.none += 1
      return
    }
    if (inUse.has(address)) seen.twice.push(address)
    inUse.add(address)
    seen.left -= 1
    await db.transaction(async (tx) => {
      await settleAddresses(tx, { clusterId, now }, [address])
      // No other process can get this address before this transaction ends.
      inUse.delete(address)
    })
  }
  const worker = async (database: Database) => {
    while (seen.left > 0) await once(database)
  }
  await Promise.all(
    opened.flatMap((database) => Array.from({ length: AT_ONCE }, () => worker(database))),
  )

  expect(seen.twice).toEqual([])
  expect(seen.rolledBack).toBeGreaterThan(ALLOCATIONS / 20)
  const rows = await first.db.select().from(addresses).where(eq(addresses.clusterId, clusterId))
  expect(rows).toHaveLength(SIZE)
  expect(rows.filter(({ state }) => state !== 'free')).toEqual([])
}, 600_000)
