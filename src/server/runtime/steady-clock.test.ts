import { describe, expect, test } from 'vitest'
import { createWitness, witnessedIn } from '../provisioning/lifecycle/witness.ts'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { steadyClock } from './steady-clock.ts'

/** With the resolution of `performance.now()`. */
function fineSource() {
  let at = 12_061.935752
  return {
    elapsed: () => at,
    pass: (ms: number) => {
      at += ms
    },
  }
}

const START = new Date('2026-11-15T12:00:00.000Z')

test('a source finer than a millisecond gives whole milliseconds', () => {
  const source = fineSource()
  const clock = steadyClock(START, source)
  source.pass(1_000.75)
  expect(Number.isInteger(clock.elapsed())).toBe(true)
  expect(clock.now().getTime() - START.getTime()).toBeCloseTo(1_000, -1)
})

describe.each(BOTH_DATABASES)('on %s', async (database) => {
  const { db } = await testDb(database)

  test('the time witnessed by a real clock can be stored', async () => {
    const source = fineSource()
    const witness = createWitness(steadyClock(START, source))
    await witness(db)
    source.pass(20_000.25)
    await witness(db)
    source.pass(15_000.5)
    const { ms } = await witness(db)
    expect(Math.abs(ms - 35_000)).toBeLessThan(3)
    expect(await witnessedIn(db)).toEqual({ ms, isDoubtful: false })
  })
})
