import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { writeBackup } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { hostKeyLooks, hostKeys } from '../db/schema/ssh-keys.ts'
import { instances } from '../db/schema/stock.ts'
import { events } from '../db/schema/work.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { EACH_DATABASE, testDb } from '../testing/test-db.ts'
import { retireHostKeys } from './host-key-rows.ts'
import { ADDRESS, keyOf, SILENT, showing, watchedServer } from './testing/watched-server.ts'

describe.each(EACH_DATABASE)('the host keys of servers on %s', async (kind) => {
  const world = await watchedServer(kind)
  const { t, clock, client, instance, params, guest, sweep, shown } = world
  const { owner, admin, setToken } = world
  const changes = () => t.db.$count(auditLog, eq(auditLog.action, 'instance.host-key-changed'))
  const told = () => t.db.$count(events, eq(events.audience, `user:${client.id}`))

  test('are shown to its owner and to operators, with a line for known_hosts', async () => {
    expect(await shown()).toEqual([])
    const before = await told()
    guest.answer = { is: 'keys', keys: [keyOf('rsa', 'ssh-rsa'), keyOf('one')] }
    await sweep()
    const at = clock.now().toISOString()
    const times = { seenAt: at, lastSeenAt: at, changedAt: null }
    const expected = [
      {
        type: 'ssh-ed25519',
        fingerprint: 'SHA256:one',
        knownHosts: `${ADDRESS} ssh-ed25519 AAAAone`,
      },
      { type: 'ssh-rsa', fingerprint: 'SHA256:rsa', knownHosts: `${ADDRESS} ssh-rsa AAAArsa` },
    ].map((key) => ({ ...key, ...times }))
    expect(await shown()).toEqual(expected)
    expect(await admin().call(api.servers.hostKeys, { params })).toEqual(expected)
    expect((await owner().call(api.servers.get, { params })).hostKeys).toEqual(expected)
    expect(await told()).toBe(before + 1)
    expect(await changes()).toBe(0)
  })

  test('are read again once a day, and the same ones are no news', async () => {
    guest.answer = showing('one')
    await sweep()
    const [first] = await shown()
    const before = await told()
    for (let hours = 0; hours < 23; hours += 1) {
      clock.advance(HOUR_MS)
      await sweep()
    }
    expect(guest.asked).toEqual([ADDRESS])
    clock.advance(HOUR_MS)
    await sweep()
    expect(guest.asked).toEqual([ADDRESS, ADDRESS])
    expect(await shown()).toEqual([{ ...first, lastSeenAt: clock.now().toISOString() }])
    expect(await told()).toBe(before)
    expect(await changes()).toBe(0)
  })

  test('that changed are said, recorded without the key, and told to the page', async () => {
    guest.answer = { is: 'keys', keys: [keyOf('one'), keyOf('rsa', 'ssh-rsa')] }
    await sweep()
    clock.advance(DAY_MS)
    guest.answer = showing('two')
    const before = await told()
    await sweep()
    const at = clock.now().toISOString()
    // The new system has no RSA key: the old one is not current either.
    expect(await shown()).toMatchObject([{ fingerprint: 'SHA256:two', seenAt: at, changedAt: at }])
    expect(await told()).toBe(before + 1)
    const [entry] = await owner().call(api.servers.activity, { params })
    expect(entry).toMatchObject({ action: 'instance.host-key-changed', by: 'system', details: {} })
    const [row] = await t.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.action, 'instance.host-key-changed'))
    expect(row).toMatchObject({ target: `instance:${instance.id}`, details: {}, actorId: null })

    clock.advance(DAY_MS)
    guest.answer = showing('one')
    await sweep()
    const back = clock.now().toISOString()
    expect(await shown()).toMatchObject([{ fingerprint: 'SHA256:one', changedAt: back }])
    expect(await changes()).toBe(2)
  })

  test('of a system that was replaced are former ones at once, and said to be, then', async () => {
    guest.answer = showing('one')
    await sweep()
    const renew = async () => {
      clock.advance(DAY_MS)
      await t.db.transaction((tx) => retireHostKeys(tx, instance.id, clock.now()))
      expect(await shown()).toEqual([])
    }
    // Windows, then Linux again: it shows nothing, then another key.
    const before = await changes()
    await renew()
    guest.answer = SILENT
    await sweep()
    expect([await shown(), await changes()]).toEqual([[], before])
    await renew()
    guest.answer = showing('two')
    await sweep()
    const at = clock.now().toISOString()
    expect(await shown()).toMatchObject([{ fingerprint: 'SHA256:two', seenAt: at, changedAt: at }])
    expect(await changes()).toBe(before + 1)
    // An image may hold its key: the same one is no change, and current again.
    await renew()
    await sweep()
    expect(await shown()).toMatchObject([{ fingerprint: 'SHA256:two', changedAt: at }])
    expect(await changes()).toBe(before + 1)
  })

  test('of another client are not found', async () => {
    const stranger = t.as(await t.make.client())
    expect((await stranger.attempt(api.servers.hostKeys, { params })).status).toBe(404)
    expect((await t.visitor.attempt(api.servers.hostKeys, { params })).status).toBe(401)
  })

  test('go with the server that is released', async () => {
    guest.answer = showing('one')
    const { instance: lent, token: its } = await t.make.owned(t.cluster, 102, client)
    const running = { status: 'running', ipAddress: '10.1.2.4' }
    await t.db.update(instances).set(running).where(eq(instances.id, lent.id))
    await sweep()
    expect(await t.db.$count(hostKeys, eq(hostKeys.instanceId, lent.id))).toBe(1)
    await setToken({ status: 'cancelled', cancelledAt: clock.now() }, its.id)
    await admin().call(api.tokens.remove, { params: { id: its.id } })
    expect(await t.db.$count(hostKeys, eq(hostKeys.instanceId, lent.id))).toBe(0)
    expect(await t.db.$count(hostKeyLooks, eq(hostKeyLooks.instanceId, lent.id))).toBe(0)
    expect(await t.db.$count(hostKeys)).toBe(1)
  })

  test('are kept by a backup', async () => {
    guest.answer = showing('one')
    await sweep()
    const folder = tempFolder('host-keys')
    const secret = 'a key for backups, long enough to be one'
    const file = join(folder, 'x.backup')
    await writeBackup(t.database, secret, file)
    const copy = await testDb(kind)
    onTestFinished(() => copy.close())
    await copy.db.execute(sql`drop schema public cascade`)
    await copy.db.execute(sql`create schema public`)
    await restoreBackup(copy, { file, secrets: [secret], isForced: false })
    expect(await copy.db.select().from(hostKeys)).toEqual(await t.db.select().from(hostKeys))
  })
})
