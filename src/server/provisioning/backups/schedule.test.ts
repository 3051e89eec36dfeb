import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'
import { jobs } from '../../db/schema/work.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { chooseBackupStorage, openBackups } from '../testing/backups.ts'
import { broken, byHand } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const WINDOW = { from: 0, hours: 8, weekday: null } as const
const DAILY = { every: 'day', window: WINDOW, keep: 1 } as const

describe.each(BOTH_DATABASES)('a schedule of backups on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openBackups(t)

  const set = (server: SoldServer, body: object, who = server.user) =>
    t.as(who).attempt(api.backups.setSchedule, {
      params: { id: server.id },
      body: { ...DAILY, ...body } as never,
    })
  const get = ({ id, user }: SoldServer) =>
    t.as(user).call(api.backups.schedule, { params: { id } })
  const rowOf = async ({ id }: SoldServer) =>
    (await t.db.select().from(backupSchedules).where(eq(backupSchedules.instanceId, id)))[0]

  /** Ends those of earlier tests, so that only the servers of this one are due. */
  const daily = async (keep = 1, limit = 3) => {
    await t.db.delete(backupSchedules)
    const server = await our.server(limit)
    expect(await set(server, { keep })).toMatchObject({ status: 200 })
    return server
  }
  /** Goes to the moment it is due, begins what is due, and runs it. */
  const turn = async (server: SoldServer, bend?: Parameters<typeof hand.runAll>[0]) => {
    const row = await rowOf(server)
    clock.advance((row?.dueAt.getTime() ?? 0) - clock.now().getTime())
    await hand.scheduleSweep()
    await hand.runAll(bend)
    await hand.scheduleSweep()
  }
  const prune = async () => {
    await hand.pruneSweep()
    await hand.runAll()
  }

  test('makes none before its time, one at its time, and the next a day later', async () => {
    const server = await daily()
    const first = (await get(server)).nextAt
    await hand.scheduleSweep()
    expect(await hand.waiting()).toEqual([])
    await turn(server)
    expect(await our.rows(server)).toMatchObject([{ state: 'ready', origin: 'schedule' }])
    expect((await our.row(server)).status).toBe('running')
    const { nextAt, failure } = await get(server)
    expect([Date.parse(nextAt ?? '') - Date.parse(first ?? ''), failure]).toEqual([DAY_MS, null])
    await hand.scheduleSweep()
    expect(await hand.waiting()).toEqual([])
  })

  test('is begun once by two processes', async () => {
    const server = await daily()
    const other = byHand(t)
    clock.advance(DAY_MS)
    await Promise.all([hand.scheduleSweep(), other.scheduleSweep(), hand.scheduleSweep()])
    expect(await hand.waiting()).toHaveLength(1)
    await hand.runAll()
    expect(our.inCluster(server)).toHaveLength(1)
    await hand.scheduleSweep()
  })

  test('that missed many turns is made up for once', async () => {
    const server = await daily(3)
    clock.advance(30 * DAY_MS)
    await hand.scheduleSweep()
    await hand.runAll()
    await hand.scheduleSweep()
    await hand.scheduleSweep()
    expect(await hand.waiting()).toEqual([])
    expect(await our.rows(server)).toHaveLength(1)
    expect(Date.parse((await get(server)).nextAt ?? '')).toBeGreaterThan(clock.now().getTime())
  })

  test('waits for its node, and for a server that is being worked on', async () => {
    const [first, second] = [await daily(), await our.server()]
    await set(second, {})
    clock.advance(DAY_MS)
    await hand.scheduleSweep()
    expect(await hand.waiting()).toHaveLength(1)
    await hand.scheduleSweep()
    expect(await hand.waiting()).toHaveLength(1)
    await hand.runAll()
    await hand.scheduleSweep()
    await hand.runAll()
    await hand.scheduleSweep()
    expect([await our.rows(first), await our.rows(second)]).toMatchObject([
      [{ state: 'ready' }],
      [{ state: 'ready' }],
    ])
    const byPerson = await our.begin(our.ask(first.user, first))
    clock.advance(DAY_MS)
    await hand.scheduleSweep()
    expect((await hand.waiting()).map(({ id }) => id)).toEqual([byPerson])
    await hand.runAll()
  })

  test('keeps its number: the oldest of its own goes, and only once a newer one is there', async () => {
    const server = await daily(1)
    const mine = await our.make(server)
    await turn(server)
    await prune()
    const [, first] = await our.rows(server)
    await turn(server, broken('make'))
    await prune()
    expect((await our.rows(server)).map(({ id }) => id)).toEqual([mine.id, first?.id])
    await turn(server)
    await prune()
    const left = await our.rows(server)
    expect(left.map(({ origin }) => origin)).toEqual(['hand', 'schedule'])
    expect(left.map(({ id }) => id)).not.toContain(first?.id)
    expect(our.inCluster(server)).toHaveLength(2)
  })

  test('never deletes a protected one, and a smaller number waits for the next backup', async () => {
    const server = await daily(2)
    await turn(server)
    await turn(server)
    const [first, second] = await our.rows(server)
    clock.advance(1)
    await set(server, { keep: 1 })
    await prune()
    expect(await our.rows(server)).toHaveLength(2)
    const params = { id: server.id, backupId: first?.id ?? 0 }
    await t.as(server.user).call(api.backups.protect, { params, body: { isProtected: true } })
    await turn(server)
    await prune()
    const left = (await our.rows(server)).map(({ id }) => id)
    expect([left.includes(first?.id ?? 0), left.includes(second?.id ?? 0)]).toEqual([true, false])
    expect(left).toHaveLength(2)
  })

  test('has its places: neither a press nor a protection takes them', async () => {
    const server = await daily(2, 2)
    const why = expect.stringContaining('kept for the schedule')
    expect(await our.ask(server.user, server)).toMatchObject({
      status: 409,
      body: { message: why },
    })
    await turn(server)
    const [row] = await our.rows(server)
    const params = { id: server.id, backupId: row?.id ?? 0 }
    const protect = await t
      .as(server.user)
      .attempt(api.backups.protect, { params, body: { isProtected: true } })
    expect(protect).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The schedule needs this place.') },
    })
    expect(our.inCluster(server).some(({ archive }) => archive?.isProtected)).toBe(false)
    await set(server, { every: 'none' })
    expect((await our.ask(server.user, server)).status).toBe(202)
    await hand.runAll()
  })

  test('tells its client and the operator of a failure, and tries again an hour later', async () => {
    const server = await daily()
    const fault = {
      kind: 'task-error',
      path: /vzdump/,
      message: 'No space left on device',
    } as const
    t.sim.faults.add({ ...fault, count: 1 })
    await turn(server)
    const { failure, nextAt } = await get(server)
    expect(failure?.why).toContain('The storage for backups is full.')
    expect(Date.parse(nextAt ?? '') - clock.now().getTime()).toBe(HOUR_MS)
    const page = await t.as(server.user).call(api.servers.get, { params: { id: server.id } })
    expect(page.jobs).toMatchObject([{ kind: 'backup', state: 'failed' }])
    await turn(server)
    expect((await get(server)).failure).toBeNull()
    expect(await our.rows(server)).toMatchObject([{ state: 'ready' }])
  })

  test('gives up after three failures, until its next turn', async () => {
    const server = await daily()
    for (let time = 0; time < 3; time += 1) await turn(server, broken('make'))
    const { nextAt } = await get(server)
    expect(Date.parse(nextAt ?? '') - clock.now().getTime()).toBeGreaterThan(20 * HOUR_MS)
    expect((await our.row(server)).status).toBe('running')
    expect(our.inCluster(server)).toEqual([])
  })

  test('says that no storage is set up, and begins no job', async () => {
    const server = await daily()
    await chooseBackupStorage(t.db, null)
    await turn(server)
    await chooseBackupStorage(t.db, 'local')
    expect((await get(server)).failure?.why).toContain('not set up here yet')
    const rows = await t.db
      .select()
      .from(jobs)
      .where(eq(jobs.subject, `instance:${server.id}`))
    expect(rows).toEqual([])
  })

  test('waits while the server is suspended, and goes on afterwards', async () => {
    const server = await daily()
    const params = { id: server.id }
    await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Spam' } })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    clock.advance(3 * DAY_MS)
    await hand.scheduleSweep()
    expect(await hand.waiting()).toEqual([])
    await shop.admin.call(api.instances.resume, { params })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    await hand.scheduleSweep()
    await hand.runAll()
    await hand.scheduleSweep()
    expect(await our.rows(server)).toMatchObject([{ state: 'ready' }])
  })

  test('is set by its owner only, with clear words for what cannot be', async () => {
    const [server, other] = [await our.server(2), await our.server(2)]
    expect((await set(server, {}, other.user)).status).toBe(404)
    expect(
      (await t.as(other.user).attempt(api.backups.schedule, { params: { id: server.id } })).status,
    ).toBe(404)
    for (const [body, message] of [
      [{ keep: 3 }, 'This package has 2 backups. Keep at most 2.'],
      [{ keep: 0 }, 'Keep 1 to 30 backups'],
      [{ every: 'week' }, 'Choose a day of the week'],
      [{ every: 'hour' }, 'Choose none, day or week'],
      [{ window: { from: 24, hours: 8 } }, 'Choose the hour at which the window opens, 0 to 23'],
      [{ window: { from: 1, hours: 0 } }, 'A window is 2, 4, 8, 12 hours long'],
    ] as const) {
      const answer = await set(server, body)
      expect([400, 409]).toContain(answer.status)
      expect(JSON.stringify(answer.body)).toContain(message)
    }
    expect(await rowOf(server)).toBeUndefined()
    for (const without of [await our.server(0), await our.bareServer()]) {
      expect(await set(without, {})).toMatchObject({
        status: 409,
        body: { message: 'Backups are not part of this package.' },
      })
    }
  })
})
