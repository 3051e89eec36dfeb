import { describe, expect, test } from 'vitest'
import { IS_LONG, inWorld, KILL_DATABASES, momentsOf } from './kill-moments.ts'
import { openSaleWorld } from './sale-world.ts'

/** How often the cluster is polled for a task varies: a sale has at most this many moments. */
const MOST = 250
const MOMENTS = momentsOf(MOST, (moment) => moment % 31 === 1)
/** Each of them starts the product twice, which takes a while on a busy machine. */
const LIMIT = { timeout: 300_000 }

describe.each(KILL_DATABASES)('a sale on %s', (_, environment) => {
  test('has more than forty moments at which it can be killed', () =>
    inWorld(environment, openSaleWorld, async (world) => {
      const moments = await world.buyAndDie(0)
      await world.expectOneSale()
      expect(moments.length).toBeGreaterThanOrEqual(40)
      expect(moments.length).toBeLessThanOrEqual(MOST)
    }))

  test.concurrent.each(MOMENTS)('killed at moment %i gives one order and one VM', LIMIT, (moment) =>
    inWorld(environment, openSaleWorld, async (world) => {
      const reached = await world.buyAndDie(moment)
      const ms = await world.recover()
      await world.expectOneSale()
      if (!IS_LONG) return
      const where = reached.length === moment ? reached.at(-1) : 'after the end'
      process.stdout.write(`${moment} ${where}: whole again after ${Math.round(ms)} ms\n`)
    }),
  )
})
