import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { EACH_DATABASE, emptyTables, testDb } from '../../testing/test-db.ts'
import { createWitness, witnessedNow } from './witness.ts'

/** A wall clock that can be set, and the time that really passes. */
const machine = () => {
  let wall = new Date('2026-11-15T12:00:00Z').getTime()
  let elapsed = 0
  return {
    now: () => new Date(wall),
    elapsed: () => elapsed,
    pass: (ms: number) => {
      wall += ms
      elapsed += ms
    },
    jump: (ms: number) => {
      wall += ms
    },
  }
}

describe.each(EACH_DATABASE)('witnessed time on %s', async (kind) => {
  const database = await testDb(kind)
  afterAll(() => database.close())
  beforeEach(() => emptyTables(database))

  test('a running process witnesses the time that passes between its looks', async () => {
    const clock = machine()
    const look = createWitness(clock)
    expect(await look(database.db)).toEqual({ ms: 0, isDoubtful: false })
    clock.pass(HOUR_MS)
    expect(await look(database.db)).toEqual({ ms: HOUR_MS, isDoubtful: false })
  })

  test('a clock that is set forward by weeks adds only the time that really passed', async () => {
    const clock = machine()
    const look = createWitness(clock)
    await look(database.db)
    clock.jump(45 * DAY_MS)
    clock.pass(MINUTE_MS)
    expect(await look(database.db)).toMatchObject({ ms: MINUTE_MS })
  })

  test('days in which no process ran do not count, and leave the time in doubt', async () => {
    const clock = machine()
    await createWitness(clock)(database.db)
    clock.pass(10 * DAY_MS)
    const look = createWitness(clock)
    expect(await look(database.db)).toEqual({ ms: MINUTE_MS, isDoubtful: true })
    clock.pass(HOUR_MS)
    expect(await look(database.db)).toEqual({ ms: MINUTE_MS + HOUR_MS, isDoubtful: true })
  })

  test('a short restart leaves no doubt', async () => {
    const clock = machine()
    await createWitness(clock)(database.db)
    clock.pass(HOUR_MS)
    expect(await createWitness(clock)(database.db)).toEqual({ ms: MINUTE_MS, isDoubtful: false })
  })

  test('a deadline counts from its own moment, however long ago the last look was', async () => {
    const clock = machine()
    const look = createWitness(clock)
    await look(database.db)
    clock.pass(HOUR_MS)
    const { db } = database
    expect(await witnessedNow({ db, clock }, look)).toBe(HOUR_MS)
    // Looks shortly after are not stored, and count all the same.
    clock.pass(5000)
    expect(await witnessedNow({ db, clock }, look)).toBe(HOUR_MS + 5000)
    clock.jump(10 * DAY_MS)
    expect(await witnessedNow({ db, clock }, look)).toBe(HOUR_MS + 5000)
  })

  test('two processes that look at once lose nothing of what either counted', async () => {
    const clock = machine()
    const [one, other] = [createWitness(clock), createWitness(clock)]
    await one(database.db)
    await other(database.db)
    clock.pass(HOUR_MS)
    const looks = [one, other, one, other].map((look) => database.db.transaction((tx) => look(tx)))
    await Promise.all(looks)
    expect(await one(database.db)).toMatchObject({ ms: HOUR_MS })
  })
})
