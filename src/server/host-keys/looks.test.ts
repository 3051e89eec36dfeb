import { and, eq, isNull } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { createAudit } from '../audit/audit-log.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { hostKeys } from '../db/schema/ssh-keys.ts'
import { instances } from '../db/schema/stock.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { createHostKeySweep } from './host-key-sweep.ts'
import { ADDRESS, SILENT, showing, TICK_MS, watchedServer } from './testing/watched-server.ts'

const other = (host: string) => ({
  host,
  port: 8006,
  node: 'pve2',
  pin: { fingerprint: '', pem: '' },
})

describe.each(EACH_DATABASE)('the host keys of servers on %s', async (kind) => {
  const world = await watchedServer(kind)
  const { t, clock, client, params, guest, sweep, sweepOf } = world
  const { shown, admin, setServer, setToken } = world

  test('are asked for often at first, then rarely, while nobody answers', async () => {
    const looksIn = async (ms: number) => {
      guest.asked = []
      for (let passed = 0; passed < ms; passed += TICK_MS) {
        await sweep()
        clock.advance(TICK_MS)
      }
      return guest.asked.length
    }
    expect(await looksIn(10 * MINUTE_MS)).toBe(30)
    expect(await looksIn(HOUR_MS)).toBeLessThanOrEqual(2)
    guest.asked = []
    for (let hours = 0; hours < 72; hours += 1) {
      await sweep()
      clock.advance(HOUR_MS)
    }
    expect(guest.asked.length).toBeLessThan(27)
  })

  test('are asked for soon after the state of the server changed', async () => {
    guest.answer = showing('one')
    await sweep()
    clock.advance(HOUR_MS)
    await setServer({ lastUpdated: clock.now() })
    clock.advance(TICK_MS)
    guest.answer = SILENT
    await sweep()
    clock.advance(2 * TICK_MS)
    guest.answer = showing('two')
    await sweep()
    expect(guest.asked).toHaveLength(3)
    expect(await shown()).toMatchObject([{ fingerprint: 'SHA256:two' }])
    for (let minutes = 0; minutes < 30; minutes += 1) {
      clock.advance(MINUTE_MS)
      await sweep()
    }
    expect(guest.asked).toHaveLength(3)
  })

  test('are not asked for before delivery, while it is off, or without an address', async () => {
    guest.answer = showing('one')
    await setToken({ status: 'pending' })
    await sweep()
    await setToken({ status: 'assigned' })
    for (const values of [
      { status: 'stopped' },
      { missingSince: clock.now() },
      { ipAddress: null },
    ]) {
      const before = { status: 'running', missingSince: null, ipAddress: ADDRESS }
      await setServer(values)
      await sweep()
      await setServer(before)
    }
    expect(guest.asked).toEqual([])
    await sweep()
    expect(await shown()).toHaveLength(1)
    await setToken({ status: 'pending' })
    expect(await shown()).toEqual([])
    expect(await admin().call(api.servers.hostKeys, { params })).toHaveLength(1)
  })

  test.each([
    ['127.0.0.1', false],
    ['::1', false],
    ['169.254.169.254', false],
    ['::ffff:169.254.169.254', false],
    ['192.0.2.77', false],
    ['192.0.2.78', false],
    ['not-an-address', false],
    ['fe80::1%eth0', false],
    ['10.1.2.3', true],
    ['2001:db8::7', true],
  ])('are asked for at %s: %s', async (address, isAsked) => {
    const own = { ownAddresses: ['192.0.2.77'], otherHosts: [other('192.0.2.78')] }
    await t.db.update(clusters).set(own).where(eq(clusters.id, t.cluster.id))
    await setServer({ ipAddress: address })
    await sweep()
    clock.advance(TICK_MS)
    await sweep()
    expect(guest.asked).toEqual(isAsked ? [address] : [])
  })

  test('are asked for on this machine in the demo only, and never at its example addresses', async () => {
    await sweepOf({ demo: true })()
    expect(guest.asked).toEqual([])
    clock.advance(DAY_MS)
    await setServer({ ipAddress: '127.0.0.1' })
    await sweepOf({ demo: true })()
    // Where the simulator itself listens is a cluster’s address.
    expect(guest.asked).toEqual([])
    clock.advance(DAY_MS)
    await setServer({ ipAddress: '127.0.0.2' })
    await sweepOf({ demo: true })()
    expect(guest.asked).toEqual(['127.0.0.2'])
  })

  test('are asked for by one of several processes', async () => {
    guest.answer = showing('one')
    await Promise.all([sweepOf()(), sweepOf()(), sweepOf()()])
    expect(guest.asked).toEqual([ADDRESS])
  })

  test('that could not be stored are stored by the next look', async () => {
    guest.answer = showing('one')
    await sweepOf({ during: () => Promise.reject(new Error('killed')) })()
    expect(await shown()).toEqual([])
    clock.advance(2 * TICK_MS)
    await sweep()
    expect(await shown()).toHaveLength(1)
  })

  test('are dropped if the server was handed over while it was asked', async () => {
    guest.answer = showing('one')
    const during = async () => void (await setServer({ tokenId: null }))
    await sweepOf({ during })()
    expect(guest.asked).toEqual([ADDRESS])
    expect(await t.db.$count(hostKeys)).toBe(0)
  })

  test('are no longer waited for when the server closes', async () => {
    const begun = Promise.withResolvers<void>()
    const { sweep: slow, close } = createHostKeySweep({
      ...t.deps,
      config: { demo: false },
      audit: createAudit(clock),
      read: ({ signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(SILENT))
          begun.resolve()
        }),
    })
    const done = slow()
    await begun.promise
    close()
    await done
    expect(await shown()).toEqual([])
  })

  test('are asked for at four servers at once, no more', async () => {
    const others = await t.db
      .select()
      .from(instances)
      .where(and(isNull(instances.tokenId), isNull(instances.missingSince)))
      .limit(9)
    for (const { id, vmId } of others) {
      await t.make.owned(t.cluster, vmId, client)
      const running = { status: 'running', ipAddress: `10.9.0.${id % 200}` }
      await t.db.update(instances).set(running).where(eq(instances.id, id))
    }
    const gate = Promise.withResolvers<void>()
    const done = sweepOf({ during: () => gate.promise })()
    await expect.poll(() => guest.asked.length).toBe(4)
    await t.db.$count(hostKeys)
    expect(guest.asked).toHaveLength(4)
    gate.resolve()
    await done
    expect(guest.asked).toHaveLength(others.length + 1)
  })
})
