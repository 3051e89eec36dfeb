import { and, eq, like } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bytesPassed } from '#pve-sim/metrics/traffic.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { serverTraffic, trafficDays, trafficGaps } from '../db/schema/traffic.ts'
import { type SimApp, type TestApp, testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { createHealSweep } from './heal-sweep.ts'
import { pruneTraffic } from './prune-traffic.ts'
import { soldWith } from './testing/sold-with.ts'

const POLL_MS = 10_000
/** Between the polls of two processes. */
const TURN_MS = 6000
const VM = 100

describe.each(EACH_DATABASE)('traffic, on %s', async (database) => {
  const clock = testClock()
  const now = () => clock.now().getTime()
  const t = await testApp({ sim: { now, version: '8.4' }, database, clock })
  t.deps.traffic.start()
  const heal = createHealSweep(t.deps)
  const instance = await ownedVm(t)
  const vm = t.sim.state.vms.get(VM)
  if (!vm) throw new Error('the demo has another VM')

  /** One poll of a process, and what it counts. */
  const poll = async (process: TestApp = t) => {
    await process.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    await process.deps.background.idle()
  }
  const watch = async (ms: number) => {
    for (const end = now() + ms; now() < end; clock.advance(POLL_MS)) await poll()
  }
  const row = async () => {
    const isServer = eq(serverTraffic.instanceId, instance.id)
    const [found] = await t.db.select().from(serverTraffic).where(isServer)
    if (!found) throw new Error('nothing was counted')
    return found
  }
  const gaps = () => t.db.select().from(trafficGaps)
  /** From nothing: what passes from now on. */
  const afresh = async () => {
    await t.db.delete(serverTraffic)
    await t.db.delete(trafficDays)
    await t.db.delete(trafficGaps)
    clock.advance(5 * MINUTE_MS)
    await poll()
    return now()
  }
  const restart = () => {
    t.sim.state.crashVm(VM)
    clock.advance(3000)
    Object.assign(vm, { qmp: 'running', startedAt: now(), pid: 1 })
  }
  const shares = async (from: number) => {
    const { inBytes, outBytes, seenAt } = await row()
    const truth = bytesPassed(vm, { from, to: seenAt.getTime() }, now())
    return { in: inBytes / truth.netin, out: outBytes / truth.netout }
  }
  const EXACT = { in: expect.closeTo(1, 3), out: expect.closeTo(1, 3) }

  test('is counted by what the counters grew', async () => {
    const from = await afresh()
    await watch(5 * MINUTE_MS)
    await poll()
    expect(await shares(from)).toEqual(EXACT)
    const days = await t.db.select().from(trafficDays)
    const { inBytes, outBytes } = await row()
    expect(days).toEqual([{ instanceId: instance.id, day: '2026-11-15', inBytes, outBytes }])
  })

  test('is counted across restarts, migrations and two hours without a look', async () => {
    const from = await afresh()
    await watch(10 * MINUTE_MS)
    restart()
    await watch(10 * MINUTE_MS)
    t.sim.state.moveVm(VM, vm.node === 'pve1' ? 'pve2' : 'pve1')
    await watch(10 * MINUTE_MS)
    clock.advance(HOUR_MS)
    restart()
    clock.advance(HOUR_MS - MINUTE_MS)
    await watch(4 * MINUTE_MS)
    expect(await gaps()).toHaveLength(1)
    const { in: before } = await shares(from)
    expect(before).toBeLessThan(0.9)
    await heal()
    expect(await gaps()).toHaveLength(0)
    const healed = await shares(from)
    for (const share of [healed.in, healed.out]) expect(Math.abs(share - 1)).toBeLessThan(0.02)
    const sum = (await t.db.select().from(trafficDays)).reduce((all, day) => all + day.inBytes, 0)
    expect(sum).toBe((await row()).inBytes)
    await heal()
    expect(await shares(from)).toEqual(healed)
  })

  test('of a gap waits for a cluster that is away', async () => {
    const from = await afresh()
    clock.advance(20 * MINUTE_MS)
    restart()
    await watch(4 * MINUTE_MS)
    t.sim.faults.add({ kind: 'refuse' })
    await heal()
    t.sim.faults.clear()
    expect(await gaps()).toHaveLength(1)
    clock.advance(MINUTE_MS)
    await poll()
    await heal()
    expect((await shares(from)).in).toBeGreaterThan(0.98)
  })

  test('of a gap is not sought for ever', async () => {
    await afresh()
    clock.advance(20 * MINUTE_MS)
    restart()
    await watch(MINUTE_MS)
    expect(await gaps()).toHaveLength(1)
    clock.advance(3 * DAY_MS)
    await heal()
    expect(await gaps()).toHaveLength(0)
  })

  test('is counted once by two processes that poll at once and in turn', async () => {
    const other = await testApp({ clock, on: t.database })
    await other.deps.links.refresh()
    other.deps.traffic.start()
    await poll(other)
    const from = await afresh()
    for (let polls = 0; polls < 30; polls += 1) {
      if (polls === 12) restart()
      if (polls % 3 === 0) await Promise.all([poll(), poll(other)])
      else await poll(polls % 2 ? t : other)
      clock.advance(TURN_MS)
    }
    clock.advance(MINUTE_MS)
    await Promise.all([poll(), poll(other)])
    const counted = await shares(from)
    // Of the end of the first run the process that counts has seen all but its last two turns.
    const unseen = (2 * TURN_MS) / (now() - from)
    for (const share of [counted.in, counted.out]) {
      expect(share).toBeGreaterThan(1 - unseen - 0.005)
      expect(share).toBeLessThanOrEqual(1.001)
    }
    await other.close()
  })

  test('runs on while the process is down and the VM is not touched', async () => {
    const from = await afresh()
    clock.advance(2 * HOUR_MS)
    await poll()
    expect(await gaps()).toHaveLength(0)
    expect(await shares(from)).toEqual(EXACT)
  })

  test('of a server that is off is nothing', async () => {
    const from = await afresh()
    await watch(MINUTE_MS)
    t.sim.state.crashVm(VM)
    await watch(5 * MINUTE_MS)
    const { inBytes } = await row()
    await watch(5 * MINUTE_MS)
    expect((await row()).inBytes).toBe(inBytes)
    expect(await gaps()).toHaveLength(0)
    restart()
    await watch(5 * MINUTE_MS)
    expect((await row()).inBytes).toBeGreaterThan(inBytes)
    expect(from).toBeLessThan(now())
  })

  test('is told at 80 and at 100 percent, once in each period, to its client', async () => {
    await afresh()
    vm.guest.traffic = { netin: 500_000, netout: 500_000 }
    await afresh()
    await soldWith(t, instance.tokenId ?? 0, { trafficGb: 1 })
    await watch(20 * MINUTE_MS)
    const told = async () => {
      const ofServer = and(
        eq(auditLog.target, `instance:${instance.id}`),
        like(auditLog.action, 'instance.traffic-%'),
      )
      const rows = await t.db.select().from(auditLog).where(ofServer).orderBy(auditLog.id)
      return rows.map(({ action }) => action)
    }
    expect(await told()).toEqual(['instance.traffic-80', 'instance.traffic-100'])
    // The next term: all begins anew.
    const { periodTo } = await row()
    clock.set(new Date(periodTo.getTime() + 1000))
    await poll()
    expect(await row()).toMatchObject({ periodFrom: periodTo, noticed: 0 })
    expect((await row()).inBytes).toBeLessThan(2e6)
    await watch(20 * MINUTE_MS)
    expect(await told()).toHaveLength(4)
    delete vm.guest.traffic
  })

  test('of days that no graph shows any more is forgotten', async () => {
    await afresh()
    const day = (daysAgo: number) => new Date(now() - daysAgo * DAY_MS).toISOString().slice(0, 10)
    const values = [91, 92, 93].map((ago) => ({ instanceId: instance.id, day: day(ago) }))
    await t.db.insert(trafficDays).values(values)
    await pruneTraffic(t.deps)()
    const left = await t.db.select().from(trafficDays)
    expect(left.map((one) => one.day)).toEqual(expect.not.arrayContaining([day(93)]))
    expect(left.length).toBeGreaterThanOrEqual(2)
  })
})

/** A VM of the demo, as a client's server with a term of thirty days. */
async function ownedVm(t: SimApp) {
  const client = await t.make.client()
  const isVm = eq(instances.vmId, VM)
  const [found] = await t.db.select().from(instances).where(isVm)
  const begin = t.deps.clock.now()
  const [token] = await t.db
    .insert(tokens)
    .values({
      tokenId: `traffic-${t.database.kind}`,
      name: 'Shop 2 CPU 2 GB RAM 20 GB SSD',
      username: 'root',
      password: 'sealed',
      osType: 'Debian 12',
      status: 'assigned',
      assignedUserId: client.id,
      assignedAt: begin,
      expiresAt: new Date(begin.getTime() + 30 * DAY_MS),
    })
    .returning()
  const [instance] = await t.db
    .update(instances)
    .set({ ownerId: client.id, tokenId: token?.id ?? null })
    .where(eq(instances.id, found?.id ?? 0))
    .returning()
  if (!instance) throw new Error('the sync has not read the simulator')
  return instance
}
