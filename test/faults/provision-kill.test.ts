import { describe, expect, test } from 'vitest'
import { newDataDir, removeFolder } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { openSaleWorld } from './sale-world.ts'

const SECRET_KEY = 'a key for the kill test, long enough'
/** How often the cluster is polled for a task varies: a sale has at most this many moments. */
const MOST = 140
/** Each of them starts the product twice, which takes a while on a busy machine. */
const LIMIT = { timeout: 300_000 }
/** In the long run every moment on both databases, else a spread of them on PostgreSQL. */
const IS_LONG = process.env.LONG === '1'
const MOMENTS = Array.from({ length: MOST }, (_, index) => index + 1).filter(
  (moment) => IS_LONG || moment % 19 === 1,
)

const databases: [string, () => Promise<Record<string, string>>][] = [
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
  ['embedded', async () => ({ SECRET_KEY })],
]

type World = Awaited<ReturnType<typeof openSaleWorld>>

async function inWorld(
  environment: (typeof databases)[number][1],
  work: (world: World) => Promise<void>,
): Promise<void> {
  const env = await environment()
  const dataDir = await newDataDir(env)
  const world = await openSaleWorld(env, dataDir)
  try {
    await work(world)
  } finally {
    await world.close()
    removeFolder(dataDir)
  }
}

describe.each(IS_LONG ? databases : databases.slice(0, 1))('a sale on %s', (_, environment) => {
  test('has more than forty moments at which it can be killed', () =>
    inWorld(environment, async (world) => {
      const moments = await world.buyAndDie(0)
      await world.expectOneSale()
      expect(moments.length).toBeGreaterThanOrEqual(40)
      expect(moments.length).toBeLessThanOrEqual(MOST)
    }))

  test.concurrent.each(MOMENTS)('killed at moment %i gives one order and one VM', LIMIT, (moment) =>
    inWorld(environment, async (world) => {
      const reached = await world.buyAndDie(moment)
      const ms = await world.recover()
      await world.expectOneSale()
      if (!IS_LONG) return
      const where = reached.length === moment ? reached.at(-1) : 'after the end'
      process.stdout.write(`${moment} ${where}: whole again after ${Math.round(ms)} ms\n`)
    }),
  )
})
