import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { removeFolder } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { openSaleWorld } from './sale-world.ts'

const SECRET_KEY = 'a key for the kill test, long enough'
/** All of them, on both databases, in the long run; a spread of them otherwise. */
const IS_LONG = process.env.LONG === '1'
const SPREAD = 6
const AT_ONCE = 3

const databases: [string, () => Promise<Record<string, string>>][] = [
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
  ['embedded', async () => ({ SECRET_KEY })],
]

const say = (text: string) => process.stdout.write(`${text}\n`)
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const spread = (count: number) =>
  range(SPREAD).map((n) => 1 + Math.round(((n - 1) * (count - 1)) / (SPREAD - 1)))

/** Works on all of them, a few at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(range(AT_ONCE).map(worker))
}

describe.each(IS_LONG ? databases : databases.slice(0, 1))(
  'a server killed in a sale, %s',
  (_, environment) => {
    const inWorld = async <T>(
      work: (world: Awaited<ReturnType<typeof openSaleWorld>>) => Promise<T>,
    ) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-kill-'))
      const world = await openSaleWorld(await environment(), dataDir)
      try {
        return await work(world)
      } finally {
        await world.close()
        removeFolder(dataDir)
      }
    }

    test('at any moment: one order, one payment, one VM', { timeout: 3_600_000 }, async () => {
      const moments = await inWorld(async (world) => {
        const seen = await world.buyAndDie(0)
        await world.expectOneSale()
        return seen
      })
      expect(moments.length).toBeGreaterThanOrEqual(40)
      const chosen = IS_LONG ? range(moments.length) : spread(moments.length)
      const slowest = { ms: 0, at: '' }
      const failures: string[] = []
      await each(chosen, async (at) => {
        await inWorld(async (world) => {
          const reached = await world.buyAndDie(at)
          const where = `${at} ${reached.at(-1)}`
          try {
            const ms = await world.recover()
            if (ms > slowest.ms) Object.assign(slowest, { ms, at: where })
            await world.expectOneSale()
            if (IS_LONG) say(`killed ${where}: whole again after ${Math.round(ms)} ms`)
          } catch (error) {
            failures.push(`killed ${where}: ${error instanceof Error ? error.message : error}`)
          }
        })
      })
      if (IS_LONG) say(`${chosen.length} moments, slowest ${JSON.stringify(slowest)}`)
      expect(failures).toEqual([])
    })
  },
)
