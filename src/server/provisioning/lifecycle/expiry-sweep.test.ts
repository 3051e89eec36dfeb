import { eq, sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { serverEnds } from '../../db/schema/service-time.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { byHand } from '../testing/by-hand.ts'

const clock = testClock(new Date())
const t = await testApp({ sim: true, clock, env: { GRACE_DAYS: '0' } })
const hand = byHand(t)
const { token } = await t.make.owned(t.cluster, 100, await t.make.client())

const set = (values: Partial<typeof tokens.$inferInsert>) =>
  t.db.update(tokens).set(values).where(eq(tokens.id, token.id))
const status = async () =>
  (await t.db.select().from(tokens).where(eq(tokens.id, token.id)))[0]?.status
const kinds = async () => (await hand.waiting()).map(({ kind }) => kind).toSorted()
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)

beforeEach(async () => {
  const { assignedInstanceId } = token
  await t.db.delete(jobs)
  await t.db.delete(serverEnds)
  await set({ status: 'assigned', assignedInstanceId, expiresAt: clock.now() })
})

test('a sweep that finds a server expired orders its stop, even without any grace', async () => {
  await hand.sweep()
  expect(await status()).toBe('expired')
  expect(await kinds()).toEqual(['stop'])
})

test('only a later sweep orders the removal', async () => {
  await hand.sweep()
  await hand.sweep()
  expect(await kinds()).toEqual(['end', 'stop'])
})

test('further sweeps order nothing twice', async () => {
  for (let n = 0; n < 4; n += 1) await hand.sweep()
  expect(await kinds()).toEqual(['end', 'stop'])
})

test('a removal that failed is retried after a quarter of an hour, and not before', async () => {
  await hand.sweep()
  await hand.sweep()
  const fail = (minutes: number) =>
    t.db
      .update(jobs)
      .set({ state: 'failed', updatedAt: sql`now() - make_interval(mins => ${minutes})` })
      .where(eq(jobs.kind, 'end'))
  await fail(14)
  await hand.sweep()
  expect(await kinds()).not.toContain('end')
  await fail(16)
  await hand.sweep()
  expect(await kinds()).toContain('end')
})

test('a server that a wrong clock had expired runs again', async () => {
  await set({ status: 'expired', expiresAt: inDays(1) })
  await hand.sweep()
  expect(await status()).toBe('assigned')
  expect(await kinds()).toEqual(['start'])
})

test('a token that ended and has no server any more does not come back', async () => {
  await set({ status: 'expired', expiresAt: inDays(1), assignedInstanceId: null })
  await hand.sweep()
  expect(await status()).toBe('expired')
  expect(await kinds()).toEqual([])
})

test('a small correction of the clock does not revive a server for a moment', async () => {
  const expiresAt = new Date(clock.now().getTime() + 10 * MINUTE_MS)
  await set({ status: 'expired', expiresAt })
  await hand.sweep()
  expect(await status()).toBe('expired')
})
