import { afterAll, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { emptyTables, testDb } from '../../testing/test-db.ts'
import { createWitness } from './witness.ts'

const database = await testDb('embedded')
afterAll(() => database.close())
beforeEach(() => emptyTables(database))

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
