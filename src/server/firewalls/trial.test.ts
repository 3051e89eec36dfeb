import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { openFirewalls, PROTECTED, SSH, WEB } from '../provisioning/testing/firewalls.ts'
import type { SoldServer } from '../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { beginTrial } from './trial.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const OUT = { direction: 'out', action: 'ACCEPT' }

describe.each(BOTH_DATABASES)('rules on trial, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openFirewalls(t)

  afterEach(() => {
    t.sim.faults.clear()
    t.sim.state.firewallOptions = { enable: 1 }
  })

  const actionsOf = async ({ id }: SoldServer) =>
    (
      await t.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.target, `instance:${id}`))
        .orderBy(auditLog.id)
    )
      .map(({ action }) => action)
      .filter((action) => action.startsWith('instance.firewall'))

  test('let everything in until its client says otherwise', async () => {
    const server = await our.server()
    expect(our.rulesOf(server)).toEqual(['out DROP 25'])
    expect(our.reaches(server, 8080)).toBe(true)
    expect(await our.get(server.user, server)).toEqual({
      rules: [],
      incoming: 'ACCEPT',
      revertAt: null,
      before: null,
      reverted: null,
      isApplied: true,
      refusal: null,
    })
  })

  test('are set in their order behind ours, and hold for good once confirmed', async () => {
    const server = await our.server()
    const answer = await our.put(server.user, server, [SSH, WEB, OUT])
    const revertAt = new Date(clock.now().getTime() + MINUTE).toISOString()
    expect(answer).toMatchObject({ status: 200, body: { revertAt } })
    const rules = [
      'out DROP 25',
      'in ACCEPT 22',
      'in ACCEPT 80,443',
      'out ACCEPT all',
      'in DROP all',
    ]
    expect(our.rulesOf(server)).toEqual(rules)
    expect([22, 443, 8080].map((port) => our.reaches(server, port))).toEqual([true, true, false])
    expect(await our.leaving(server)).toEqual(PROTECTED)
    expect(JSON.stringify(our.file(server))).not.toContain('my shop')
    expect(await our.get(server.user, server)).toMatchObject({
      revertAt,
      rules: [SSH, WEB, OUT],
      incoming: 'DROP',
      before: { rules: [], incoming: 'ACCEPT' },
    })
    clock.advance(MINUTE - SECOND)
    await our.sweep()
    const confirmed = { rules: [SSH, WEB, OUT], revertAt: null, before: null, isApplied: true }
    expect(await our.confirm(server.user, server)).toMatchObject({ status: 200, body: confirmed })
    // A repeated press is harmless.
    expect(await our.confirm(server.user, server)).toMatchObject({ status: 200, body: confirmed })
    clock.advance(DAY_MS)
    await our.sweep()
    await our.hand.firewallSweep()
    expect(our.rulesOf(server)).toEqual(rules)
    expect(await actionsOf(server)).toEqual(['instance.firewall', 'instance.firewall-confirmed'])
  })

  test('that nobody confirmed are taken back by the server, in time and not before', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [], 'DROP')
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(MINUTE - 1)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(1)
    await our.sweep()
    expect([22, 80].map((port) => our.reaches(server, port))).toEqual([true, false])
    const late = await our.confirm(server.user, server)
    expect(late).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('the earlier ones are in force') },
    })
    expect(await our.get(server.user, server)).toMatchObject({
      rules: [SSH],
      revertAt: null,
      isApplied: true,
      reverted: { rules: [], incoming: 'DROP', at: clock.now().toISOString() },
    })
    expect((await actionsOf(server)).at(-1)).toBe('instance.firewall-reverted')
    // The next ones are tried as any others.
    await our.put(server.user, server, [WEB])
    expect(await our.get(server.user, server)).toMatchObject({ reverted: null })
  })

  test('cannot be confirmed once their time is over, even if no sweep has come yet', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [WEB])
    clock.advance(MINUTE)
    expect((await our.confirm(server.user, server)).status).toBe(409)
    expect(await our.get(server.user, server)).toMatchObject({ rules: [SSH], revertAt: null })
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(true)
  })

  test('that replace others on trial go back to those that were confirmed last', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [WEB])
    clock.advance(30 * SECOND)
    await our.put(server.user, server, [], 'DROP')
    clock.advance(31 * SECOND)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(30 * SECOND)
    await our.sweep()
    expect(our.rulesOf(server)).toEqual(['out DROP 25', 'in ACCEPT 22', 'in DROP all'])
  })

  test('are taken back as soon as a cluster that was away is back', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [], 'DROP')
    clock.advance(MINUTE)
    t.sim.faults.add({ kind: 'refuse' })
    await our.sweep()
    expect(await our.get(server.user, server)).toMatchObject({ rules: [SSH], isApplied: false })
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(HOUR_MS)
    await our.sweep()
    t.sim.faults.clear()
    clock.advance(HOUR_MS)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(true)
    expect(await our.get(server.user, server)).toMatchObject({ isApplied: true })
  })

  test('are taken back after a refusal of the cluster, too', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [], 'DROP')
    clock.advance(MINUTE)
    t.sim.faults.add({ kind: '403', path: '/firewall/', message: 'Permission check failed' })
    await our.sweep()
    t.sim.faults.clear()
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(11 * SECOND)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(true)
  })

  test('are taken back once by two processes', async () => {
    const server = await our.withRules([SSH])
    const before = (await actionsOf(server)).length
    await our.put(server.user, server, [WEB])
    clock.advance(MINUTE)
    await Promise.all([our.sweep(), our.sweep(), our.sweep()])
    await our.sweep()
    expect((await actionsOf(server)).slice(before)).toEqual([
      'instance.firewall',
      'instance.firewall-reverted',
    ])
    clock.advance(11 * SECOND)
    await our.sweep()
    expect(our.rulesOf(server)).toEqual(['out DROP 25', 'in ACCEPT 22', 'in DROP all'])
  })

  test('of a process that died before the cluster heard of them end in time', async () => {
    const server = await our.withRules([SSH])
    await beginTrial(t.db, server.id, { rules: [], incoming: 'DROP' }, clock.now())
    // The cluster does not have them yet, so the client cannot have tried them.
    expect(await our.confirm(server.user, server)).toMatchObject({
      status: 409,
      body: { message: 'The cluster does not have these rules yet. Wait a moment.' },
    })
    clock.advance(11 * SECOND)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(false)
    clock.advance(MINUTE)
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(true)
  })

  test.each([
    ['POST', /firewall\/rules$/],
    ['PUT', /firewall\/rules\//],
    ['DELETE', /firewall\/rules\//],
  ])(
    'whose writing breaks off at a %s are refused, and the earlier ones restored',
    async (method, path) => {
      const server = await our.withRules([SSH])
      t.sim.faults.add({ kind: 'reset', method, path, count: 1 })
      expect((await our.put(server.user, server, [WEB])).status).toBe(503)
      expect(await our.leaving(server)).toEqual(PROTECTED)
      await our.sweep()
      expect(our.rulesOf(server)).toEqual(['out DROP 25', 'in ACCEPT 22', 'in DROP all'])
      expect(await our.get(server.user, server)).toMatchObject({ rules: [SSH], revertAt: null })
      expect((await our.confirm(server.user, server)).status).toBe(409)
    },
  )

  test('of a clock that ran ahead end, too', async () => {
    const server = await our.withRules([SSH])
    const ahead = new Date(clock.now().getTime() + DAY_MS)
    await beginTrial(t.db, server.id, { rules: [], incoming: 'DROP' }, ahead)
    expect(await our.get(server.user, server)).toMatchObject({ rules: [SSH] })
    await our.sweep()
    expect((await our.row(server)).trial).toBeNull()
    expect(our.reaches(server, 22)).toBe(true)
  })

  test('tried by two at once are one of both, as the cluster has them', async () => {
    const server = await our.server()
    const answers = await Promise.all([
      our.put(server.user, server, [SSH]),
      our.put(server.user, server, [WEB]),
    ])
    expect(answers.map(({ status }) => status).toSorted()[0]).toBe(200)
    for (const { status, body } of answers) {
      if (status !== 200) expect(body).toMatchObject({ code: 'LOCKED' })
    }
    expect((await our.confirm(server.user, server)).status).toBe(200)
    const { rules } = await our.get(server.user, server)
    expect(our.reaches(server, 22)).toBe(rules[0]?.ports === '22')
    expect(our.reaches(server, 443)).toBe(rules[0]?.ports !== '22')
  })
})
