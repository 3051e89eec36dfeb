import { afterAll, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { tokens } from '../../db/schema/stock.ts'
import { emptyTables, testDb } from '../../testing/test-db.ts'
import { isGraceOver, orderRemovals, recordEnds, removals } from './server-ends.ts'

const database = await testDb('embedded')
const { db } = database
afterAll(() => database.close())
beforeEach(() => emptyTables(database))

const END = new Date('2026-11-15T12:00:00Z')
const config = { graceDays: 7, removalsPerHour: 2 }
const after = (ms: number, witnessedMs = ms, isDoubtful = false) => ({
  now: new Date(END.getTime() + ms),
  witnessed: { ms: witnessedMs, isDoubtful },
})

/** Servers whose end was recorded at the moment of the end. */
const ended = async (count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const made = await db
    .insert(tokens)
    .values(
      numbers.map((number) => ({
        tokenId: `00000000-0000-4000-8000-00000000000${number}`,
        name: 'Small',
        username: 'root',
        password: 'sealed',
        osType: 'Debian 12',
        status: 'expired' as const,
        expiresAt: END,
      })),
    )
    .returning()
  const ends = await recordEnds(db, made, after(0))
  return made.flatMap((token) => {
    const end = ends.get(token.id)
    return end ? [{ token, end }] : []
  })
}
const one = async () => {
  const [server] = await ended(1)
  if (!server) throw new Error('its end was not recorded')
  return server
}

test('the grace period is over after its last millisecond, and not before', async () => {
  const server = await one()
  expect(isGraceOver(server, after(7 * DAY_MS - 1), config)).toBe(false)
  expect(isGraceOver(server, after(7 * DAY_MS), config)).toBe(true)
})

test('the grace period is not over if the service was down for most of it', async () => {
  const server = await one()
  expect(isGraceOver(server, after(7 * DAY_MS, DAY_MS), config)).toBe(false)
})

test('the grace period is not over by the clock once the clock is set back', async () => {
  const server = await one()
  expect(isGraceOver(server, after(DAY_MS, 7 * DAY_MS), config)).toBe(false)
})

test('the grace period of an earlier end does not count after a renewal', async () => {
  const { token, end } = await one()
  const renewed = { token: { ...token, expiresAt: new Date(END.getTime() + 1) }, end }
  expect(isGraceOver(renewed, after(8 * DAY_MS), config)).toBe(false)
})

test('as many servers as the cap allows are removed without an operator', async () => {
  const due = await ended(2)
  const { witnessed } = after(7 * DAY_MS)
  expect(await removals(db, due, witnessed, config)).toEqual({ allowed: due, held: [] })
})

test('more servers than the cap allows all wait for an operator', async () => {
  const due = await ended(3)
  const { witnessed } = after(7 * DAY_MS)
  expect(await removals(db, due, witnessed, config)).toEqual({ allowed: [], held: due })
})

test('what was removed within the last hour counts towards the cap', async () => {
  const due = await ended(3)
  const { witnessed } = after(7 * DAY_MS)
  await orderRemovals(db, due.slice(0, 2), witnessed)
  const rest = due.slice(2)
  expect(await removals(db, due, witnessed, config)).toEqual({ allowed: [], held: rest })
  const later = after(7 * DAY_MS + HOUR_MS).witnessed
  expect(await removals(db, due, later, config)).toEqual({ allowed: rest, held: [] })
})

test('while the time is in doubt only what an operator has confirmed is removed', async () => {
  const [first, second] = await ended(2)
  if (!first || !second) throw new Error('their ends were not recorded')
  const approved = { ...first, end: { ...first.end, approvedAt: END } }
  const { witnessed } = after(7 * DAY_MS, 7 * DAY_MS, true)
  expect(await removals(db, [approved, second], witnessed, config)).toEqual({
    allowed: [approved],
    held: [second],
  })
})
