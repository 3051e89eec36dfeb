import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { SSH_KEYS_MAX } from '#shared/api/people/ssh-keys.ts'
import { PUBLIC_KEYS, REFUSED_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { bytesOf, toBase64, writeFields } from '#shared/rules/ssh/wire.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { type Person, testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const { ed25519, rsa, ecdsa256 } = PUBLIC_KEYS

/** Any 32 bytes will do. */
const someKey = () =>
  `ssh-ed25519 ${toBase64(writeFields([bytesOf('ssh-ed25519'), Uint8Array.from(randomBytes(32))]))}`

describe.each(EACH_DATABASE)('the ring of SSH keys (%s)', async (database) => {
  const t = await testApp({ sim: true, database })
  const add = (who: Person, publicKey: string, name = 'laptop') =>
    t.as(who).attempt(api.sshKeys.add, { body: { name, publicKey } })
  const ringOf = (who: Person) => t.as(who).call(api.sshKeys.list)
  const stored = (who: Person) => t.db.$count(sshKeys, eq(sshKeys.userId, who.id))
  const entriesOf = async (who: Person) =>
    (await t.db.select().from(auditLog).where(eq(auditLog.subjectId, who.id)).orderBy(auditLog.id))
      .filter(({ action }) => action.endsWith('ssh-key'))
      .map(({ action, target, details, actorId }) => ({ action, target, details, actorId }))

  test('lists what was added, the newest last, without comments', async () => {
    const me = await t.make.client()
    expect(await ringOf(me)).toEqual([])
    const answer = await add(me, `  ${ed25519.publicKey} robin@laptop\n`, ' laptop ')
    expect(answer).toMatchObject({
      status: 201,
      body: { name: 'laptop', type: 'ssh-ed25519', servers: 0, ...ed25519 },
    })
    await add(me, rsa.publicKey, 'office')
    expect(await ringOf(me)).toMatchObject([
      { id: answer.body.id, name: 'laptop', type: 'ssh-ed25519', ...ed25519 },
      { name: 'office', type: 'ssh-rsa', ...rsa },
    ])
  })

  test('belongs to operators as well', async () => {
    const boss = await t.make.admin()
    expect((await add(boss, ed25519.publicKey)).status).toBe(201)
    expect(await ringOf(boss)).toHaveLength(1)
  })

  test('is neither shown to another client nor changed by one', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const { body } = await add(me, ed25519.publicKey)
    expect(await ringOf(other)).toEqual([])
    const answer = await t.as(other).attempt(api.sshKeys.remove, { params: { id: body.id } })
    expect(answer).toMatchObject({ status: 404, body: { message: 'SSH key not found' } })
    expect(await ringOf(me)).toHaveLength(1)
    expect(await entriesOf(other)).toEqual([])
    // The same key may be on the rings of two accounts: neither learns of the other.
    expect((await add(other, ed25519.publicKey)).status).toBe(201)
  })

  test('refuses what is no good public key, with the sentence, and stores nothing', async () => {
    const me = await t.make.client()
    for (const [publicKey, sentence] of [
      ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz', /^This is a private key\./],
      [REFUSED_KEYS.rsa1024, /^RSA below 2048 bits is refused\./],
      [REFUSED_KEYS.dsa, /^DSA is refused/],
      [ed25519.publicKey.slice(0, -2), /^This key is damaged/],
      [`from="10.0.0.1" ${ed25519.publicKey}`, /^Remove what is before ssh-ed25519/],
      [`${ed25519.publicKey}\n${rsa.publicKey}`, /^These are several keys/],
      [' ', /^Please paste a public key$/],
    ] as const) {
      expect(await add(me, publicKey)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_INPUT', message: expect.stringMatching(sentence) },
      })
    }
    expect(await add(me, ed25519.publicKey, '')).toMatchObject({
      status: 400,
      body: { message: 'Please name the key' },
    })
    expect([await stored(me), await entriesOf(me)]).toEqual([0, []])
  })

  test('has a key once, under whatever comment or name', async () => {
    const me = await t.make.client()
    await add(me, ed25519.publicKey, 'laptop')
    expect(await add(me, `${ed25519.publicKey} other@place`, 'again')).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: 'You already have this key: laptop.' },
    })
    expect(await stored(me)).toBe(1)
  })

  test(`has at most ${SSH_KEYS_MAX} keys, even if the last two are added at once`, async () => {
    const me = await t.make.client()
    const rows = Array.from({ length: SSH_KEYS_MAX - 1 }, (_, n) => ({
      userId: me.id,
      name: `key ${n}`,
      type: 'ssh-ed25519',
      publicKey: someKey(),
      fingerprint: `SHA256:${n}`,
    }))
    await t.db.insert(sshKeys).values(rows)
    const answers = await Promise.all([add(me, someKey()), add(me, someKey())])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await add(me, someKey())).toMatchObject({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: 'An account has at most 50 SSH keys. Remove one that you no longer use.',
      },
    })
    expect(await stored(me)).toBe(SSH_KEYS_MAX)
    const [first] = await ringOf(me)
    await t.as(me).call(api.sshKeys.remove, { params: { id: first?.id ?? 0 } })
    expect((await add(me, someKey())).status).toBe(201)
  })

  test('takes one key that is added twice at once only once', async () => {
    const me = await t.make.client()
    const answers = await Promise.all([
      add(me, ed25519.publicKey, 'one'),
      add(me, ed25519.publicKey, 'two'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect([await stored(me), (await entriesOf(me)).length]).toEqual([1, 1])
  })

  test('counts the servers of the account that were made with a key, and no others', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const owned = async (vmId: number, who: Person, keys: (typeof ed25519)[]) => {
      const { instance } = await t.make.owned(t.cluster, vmId, who)
      await t.db.insert(serverKeys).values(keys.map((key) => ({ instanceId: instance.id, ...key })))
    }
    await owned(100, me, [ed25519, rsa])
    await owned(101, me, [ed25519])
    await owned(103, other, [ed25519, rsa, ecdsa256])
    await add(me, rsa.publicKey)
    await add(me, ecdsa256.publicKey)
    // Removed and added again: the servers still have it.
    const { body } = await add(me, ed25519.publicKey)
    await t.as(me).call(api.sshKeys.remove, { params: { id: body.id } })
    expect(await add(me, ed25519.publicKey)).toMatchObject({ body: { servers: 2 } })
    expect((await ringOf(me)).map(({ type, servers }) => [type, servers])).toEqual([
      ['ssh-rsa', 1],
      ['ecdsa-sha2-nistp256', 0],
      ['ssh-ed25519', 2],
    ])
    expect(await t.db.$count(serverKeys)).toBe(6)
  })

  test('is in the log and in the activity of its owner', async () => {
    const me = await t.make.client()
    const { body } = await add(me, ed25519.publicKey)
    await t.as(me).call(api.sshKeys.remove, { params: { id: body.id } })
    const entry = {
      target: 'user',
      details: {},
      actorId: me.id,
    }
    expect(await entriesOf(me)).toEqual([
      { action: 'account.add-ssh-key', ...entry },
      { action: 'account.remove-ssh-key', ...entry },
    ])
    const activity = await t.as(me).call(api.account.activity)
    expect(activity.map(({ action, by }) => `${action} by ${by}`)).toEqual([
      'account.remove-ssh-key by you',
      'account.add-ssh-key by you',
    ])
    const again = await t.as(me).attempt(api.sshKeys.remove, { params: { id: body.id } })
    expect([again.status, (await entriesOf(me)).length]).toEqual([404, 2])
  })

  test('is read and not changed by an operator who simulates the client', async () => {
    const me = await t.make.client()
    const { body } = await add(me, ed25519.publicKey)
    const { cookie } = await t
      .as(await t.make.admin())
      .attempt(api.simulation.start, { params: { userId: me.id } })
    const simulated = t.with(cookie ?? '')
    expect(await simulated.call(api.sshKeys.list)).toHaveLength(1)
    const added = { body: { name: 'mine', publicKey: rsa.publicKey } }
    for (const answer of [
      await simulated.attempt(api.sshKeys.add, added),
      await simulated.attempt(api.sshKeys.remove, { params: { id: body.id } }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
    }
    expect(await stored(me)).toBe(1)
  })
})
