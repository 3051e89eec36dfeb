import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { PowerAct } from '#shared/rules/instance/instance-power.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp } from '../../testing/test-app.ts'
import { claimPower, releasePower } from './power-claim.ts'

const t = await testApp({ sim: true })
const [machine] = await t.db.select().from(instances).where(eq(instances.vmId, 103))
const id = machine?.id ?? 0
const NOW = new Date('2026-11-15T12:00:00Z')
const before = (ms: number) => new Date(NOW.getTime() - ms)

const set = (values: Partial<typeof instances.$inferInsert>) =>
  t.db.update(instances).set(values).where(eq(instances.id, id))
const row = async () => (await t.db.select().from(instances).where(eq(instances.id, id)))[0]
const claim = (act: PowerAct, at = NOW) => claimPower(t.db, { id, ownerId: null }, act, at)
const refused = { code: 'LOCKED', retryAfter: 5 }
const off = { vm: undefined, at: NOW }

test('a machine at rest is claimed although it was looked at a moment ago', async () => {
  await set({ status: 'stopped', lastUpdated: NOW })
  await claim('start')
  expect(await row()).toMatchObject({ status: 'starting', lastUpdated: NOW })
})

test.each(['creating', 'deleting'])(
  'a machine that a job holds (%s) is not claimed, however long the job takes',
  async (status) => {
    await set({ status, lastUpdated: before(600 * MINUTE_MS) })
    await expect(claim('stop')).rejects.toMatchObject(refused)
    expect(await row()).toMatchObject({ status })
  },
)

const suspended = { suspendedAt: NOW, suspendReason: 'Spam.', suspendCause: 'operator' } as const
const resumed = { suspendedAt: null, suspendReason: null, suspendCause: null }

test('a suspended server cannot be started or restarted, but can be stopped', async () => {
  for (const act of ['start', 'restart'] as const) {
    await set({ status: 'unknown', lastUpdated: NOW, ...suspended })
    await expect(claim(act)).rejects.toMatchObject(refused)
  }
  await claim('stop')
  await set({ status: 'unknown', ...resumed })
  await claim('start')
})

test('a server that went to another account meanwhile is not claimed for the former one', async () => {
  const [former, owner] = [await t.make.client(), await t.make.client()]
  await set({ status: 'stopped', lastUpdated: NOW, ownerId: owner.id })
  const claimAs = (ownerId: number | null) => claimPower(t.db, { id, ownerId }, 'start', NOW)
  for (const ownerId of [former.id, null]) {
    await expect(claimAs(ownerId)).rejects.toMatchObject(refused)
    expect(await row()).toMatchObject({ status: 'stopped' })
  }
  await claimAs(owner.id)
  await set({ ownerId: null })
})

test('a claim of a process that died is void after five minutes, and not before', async () => {
  await set({ status: 'starting', lastUpdated: before(5 * MINUTE_MS) })
  await expect(claim('start')).rejects.toMatchObject(refused)
  await set({ status: 'starting', lastUpdated: before(5 * MINUTE_MS + 1) })
  await claim('start')
})

test.each(['stopping', 'restarting'])(
  'a stop takes over from an action that waits for its guest (%s); a start does not',
  async (status) => {
    await set({ status, lastUpdated: NOW })
    await expect(claim('start')).rejects.toMatchObject(refused)
    await claim('stop')
  },
)

test('a stop does not take over from a start', async () => {
  await set({ status: 'starting', lastUpdated: NOW })
  await expect(claim('stop')).rejects.toMatchObject(refused)
})

test('a shutdown does not release the later stop that took over from it', async () => {
  await set({ status: 'running', lastUpdated: before(1) })
  const shutdown = await claim('shutdown', before(1))
  const stop = await claim('stop')
  expect(await releasePower(t.db, shutdown, off)).toBe(false)
  expect(await row()).toMatchObject({ status: 'stopping', lastUpdated: NOW })
  expect(await releasePower(t.db, stop, off)).toBe(true)
})

test('a restart does not release the stop that took over in the same millisecond', async () => {
  await set({ status: 'running', lastUpdated: before(1) })
  const restart = await claim('restart')
  await claim('stop')
  expect(await releasePower(t.db, restart, off)).toBe(false)
  expect(await row()).toMatchObject({ status: 'stopping' })
})

test('a release keeps why the action failed, until the next claim', async () => {
  await set({ status: 'stopped', lastUpdated: before(1) })
  const failure = { message: 'Storage x is busy.', publicMessage: 'It failed.' }
  await releasePower(t.db, await claim('start'), { ...off, failure })
  expect(await row()).toMatchObject({ status: 'unknown', powerFailure: failure })
  await claim('start')
  expect(await row()).toMatchObject({ status: 'starting', powerFailure: null })
})
