import { and, eq, inArray } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { type TestApp, testApp, testClock } from '../../testing/test-app.ts'
import { byHand } from '../testing/by-hand.ts'
import { storeSchedule } from './schedule-rows.ts'

const SERVERS = 1000
const NODES = 4
const STEP_MS = 30_000
const WINDOW = { from: 0, hours: 8, weekday: null }
const MIDNIGHT = new Date('2026-11-16T00:00:00Z')

/** A thousand servers that were sold, without a cluster behind them. */
async function manyServers(t: TestApp): Promise<number> {
  const { db } = t
  const at = { uid: 'many', name: 'many', host: '192.0.2.1', username: 'x@pve', password: '' }
  const [cluster] = await db
    .insert(clusters)
    .values({ ...at, settings: { backupStorage: 'store' } })
    .returning()
  const clusterId = cluster?.id ?? 0
  const made = await db
    .insert(nodes)
    .values(Array.from({ length: NODES }, (_, node) => ({ clusterId, name: `n${node}` })))
    .returning()
  const size = { cpu: '1 CPU', ram: '1 GB RAM', storage: '10 GB SSD' }
  await db
    .insert(packages)
    .values({ id: 'many', name: 'Many', ...size, priceCents: 100, osOptions: [], backupLimit: 2 })
  const owner = await t.make.client()
  for (let number = 1; number <= SERVERS; number += 1) {
    const assigned = { status: 'assigned' as const, assignedUserId: owner.id, assignedAt: MIDNIGHT }
    const token = await t.make.token({ ...assigned, expiresAt: new Date(4e12) })
    const node = made[number % NODES]
    const [instance] = await db
      .insert(instances)
      .values({
        clusterId,
        vmId: 1000 + number,
        marker: `many:${number}`,
        nodeId: node?.id ?? null,
        tokenId: token.id,
        ownerId: owner.id,
        name: `many-${number}`,
        status: 'running',
      })
      .returning()
    const order = { userId: owner.id, tokenId: token.id, planId: 'many', planName: 'Many' }
    await db.insert(orders).values({ ...order, amountCents: 100, status: 'active' })
    const wish = { every: 'day' as const, window: WINDOW, keep: 1 }
    await storeSchedule(db, instance?.id ?? 0, wish, new Date(MIDNIGHT.getTime() - HOUR_MS))
  }
  return clusterId
}

type Running = {
  jobId: string
  instanceId: number
  backupId: number
  nodeId: number
  until: number
}

/** Ends a backup as its job would. */
async function end({ db }: TestApp, one: Running, isGood: boolean, now: Date): Promise<void> {
  const isIt = eq(backups.id, one.backupId)
  if (isGood) await db.update(backups).set({ state: 'ready', takenAt: now }).where(isIt)
  else await db.delete(backups).where(isIt)
  await db.update(instances).set({ status: 'running' }).where(eq(instances.id, one.instanceId))
  await db
    .update(jobs)
    .set({ state: isGood ? 'done' : 'failed' })
    .where(eq(jobs.id, one.jobId))
}

test('a thousand servers are backed up in eight hours on four nodes: one at a time on each, none left out', async () => {
  const clock = testClock(MIDNIGHT)
  const t = await testApp({ clock })
  await manyServers(t)
  const [one, other] = [byHand(t), byHand(t)]
  const running = new Map<string, Running>()
  const tries = new Map<number, number>()
  let most = 0
  let lastEnd = 0

  /** What the sweeps began: from 40 to 140 seconds each; every fiftieth fails at first. */
  const begin = async () => {
    const begun = await t.db
      .select({ jobId: jobs.id, input: jobs.input, nodeId: instances.nodeId })
      .from(jobs)
      .innerJoin(backupSchedules, eq(backupSchedules.jobId, jobs.id))
      .innerJoin(instances, eq(instances.id, backupSchedules.instanceId))
      .where(and(eq(jobs.kind, 'backup'), inArray(jobs.state, ['queued'])))
    for (const { jobId, input, nodeId } of begun) {
      if (running.has(jobId)) continue
      const { instanceId, backupId } = input as { instanceId: number; backupId: number }
      const until = clock.now().getTime() + 40_000 + ((instanceId * 7919) % 101) * 1000
      running.set(jobId, { jobId, instanceId, backupId, nodeId: nodeId ?? 0, until })
      tries.set(instanceId, (tries.get(instanceId) ?? 0) + 1)
    }
    const perNode = Map.groupBy(running.values(), ({ nodeId }) => nodeId)
    most = Math.max(most, ...[...perNode.values()].map((list) => list.length))
  }

  for (let passed = 0; passed < 12 * HOUR_MS; passed += STEP_MS) {
    for (const job of [...running.values()]) {
      if (job.until > clock.now().getTime()) continue
      running.delete(job.jobId)
      const isGood = job.instanceId % 50 !== 0 || (tries.get(job.instanceId) ?? 0) > 1
      await end(t, job, isGood, clock.now())
      lastEnd = passed
    }
    await Promise.all([one.scheduleSweep(), other.scheduleSweep()])
    await begin()
    clock.advance(STEP_MS)
  }

  expect(most).toBe(1)
  expect(running.size).toBe(0)
  const made = await t.db.select().from(backups)
  expect(new Set(made.map(({ instanceId }) => instanceId)).size).toBe(SERVERS)
  expect(
    made.filter(({ state, origin }) => state === 'ready' && origin === 'schedule'),
  ).toHaveLength(SERVERS)
  // Those that failed are made up for an hour later; all are done soon after the window.
  expect(Math.max(...tries.values())).toBe(2)
  expect(lastEnd).toBeLessThan(9.5 * HOUR_MS)
  const next = await t.db.select().from(backupSchedules)
  for (const { dueAt } of next) {
    expect(dueAt.getTime()).toBeGreaterThanOrEqual(MIDNIGHT.getTime() + DAY_MS)
  }
}, 600_000)
