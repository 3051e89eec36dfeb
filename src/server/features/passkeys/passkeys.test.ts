import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { doOperatorAct } from '../../commands/operator-acts.ts'
import { auditLog, passkeys } from '../../db/schema/accounts.ts'
import { withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { createAuthenticator, PUBLIC_URL } from '../../second-factor/testing/authenticator.ts'
import { addPasskey, askedAtSignIn, withPasskey } from '../../second-factor/testing/with-passkey.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const MINUTE = 60_000
const env = { PUBLIC_URL }

describe.each(EACH_DATABASE)('a passkey on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ clock, env, database })

  test('is added, signs in beside the password, and shows its last use', async () => {
    const client = await t.make.client()
    const { me, device } = await withPasskey(t, client, clock)
    expect(await me.call(api.passkeys.list)).toMatchObject([
      { name: 'Key ring', address: 'hush.example', lastUsedOn: null },
    ])
    device.state.counter = 1
    const passkey = device.sign(await askedAtSignIn(t, client))
    const body = { username: client.username, password: PASSWORD, passkey }
    const answer = await t.visitor.attempt(api.auth.login, { body })
    expect(answer.status).toBe(200)
    expect((await t.with(answer.cookie ?? '').attempt(api.auth.me)).status).toBe(200)
    expect(await me.call(api.passkeys.list)).toMatchObject([{ lastUsedOn: '2026-11-15' }])
    const entries = await t.db.select().from(auditLog).where(eq(auditLog.actorId, client.id))
    expect(entries.map(({ action }) => action)).toEqual([
      'account.second-factor-on',
      'account.add-passkey',
      'auth.login',
    ])
    expect(entries.at(-1)?.details).toMatchObject({ secondFactor: 'passkey' })
    expect((await me.call(api.account.activity)).map(({ action }) => action)).toContain(
      'account.add-passkey',
    )
    expect((await me.call(api.account.export)).passkeys).toMatchObject([{ name: 'Key ring' }])
  })

  test('confirms a dangerous action in place of a code', async () => {
    const { me, device } = await withPasskey(t, await t.make.client(), clock)
    const reveal = () => me.attempt(api.instances.reveal, { params: { id: 2_000_000_000 } })
    clock.advance(11 * MINUTE)
    expect((await reveal()).body.code).toBe('SECOND_FACTOR_REQUIRED')
    const passkey = device.sign(await me.call(api.passkeys.challenge))
    await me.call(api.secondFactor.prove, { body: { passkey } })
    expect((await reveal()).status).toBe(404)
  })

  test('is refused once it was removed, and only its owner can remove it', async () => {
    const client = await t.make.client()
    const { me, device, passkey, code } = await withPasskey(t, client, clock)
    const asked = await askedAtSignIn(t, client)
    const params = { id: passkey.id }
    const stranger = t.as(await t.make.client())
    expect((await stranger.attempt(api.passkeys.remove, { params })).status).toBe(404)
    await me.call(api.passkeys.remove, { params })
    expect((await me.attempt(api.passkeys.remove, { params })).status).toBe(404)
    const known = { username: client.username, password: PASSWORD }
    const login = (body: object) =>
      t.visitor.attempt(api.auth.login, { body: { ...known, ...body } })
    expect(await login({ passkey: device.sign(asked) })).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CREDENTIALS' },
    })
    expect((await login({})).body.details).toEqual({ reason: 'sign-in' })
    expect((await login({ code: code() })).status).toBe(200)
    expect((await me.attempt(api.passkeys.challenge)).body.code).toBe('INVALID_STATE')
    expect((await me.call(api.account.activity))[1]?.action).toBe('account.remove-passkey')
  })

  test('ends with the codes of the app, however those end', async () => {
    const boss = t.as(await t.make.admin())
    const left = (id: number) => t.db.$count(passkeys, eq(passkeys.userId, id))
    const off = await t.make.client()
    const { me, code } = await withPasskey(t, off, clock)
    await me.call(api.secondFactor.turnOff, { body: { password: PASSWORD, code: code() } })
    expect(await left(off.id)).toBe(0)
    const reset = await t.make.client()
    await withPasskey(t, reset, clock)
    await boss.call(api.users.resetSecondFactor, { params: { id: reset.id } })
    expect(await left(reset.id)).toBe(0)
    const email = t.make.email('last')
    const last = await t.make.admin({ email })
    await withPasskey(t, last, clock)
    await doOperatorAct(t.db, { act: 'admin-reset', email })
    expect(await left(last.id)).toBe(0)
  })

  test('stays through a change of the password, as the codes do', async () => {
    const client = await t.make.client()
    const { me, device } = await withPasskey(t, client, clock)
    const newPassword = 'another password of theirs'
    const change = { currentPassword: PASSWORD, newPassword }
    await me.call(api.account.changePassword, { body: change })
    const known = { username: client.username, password: newPassword }
    const asked = (await t.visitor.attempt(api.auth.login, { body: known })).body.details
    const { passkey } = asked as { passkey: Parameters<typeof device.sign>[0] }
    const body = { ...known, passkey: device.sign(passkey) }
    expect((await t.visitor.attempt(api.auth.login, { body })).status).toBe(200)
  })
})

describe('adding a passkey', async () => {
  const clock = testClock()
  const t = await testApp({ clock, env })
  const body = { name: 'Key ring' }

  test('needs an authenticator app that is set up, and stays set up meanwhile', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const refusal = { status: 409, body: { code: 'INVALID_STATE' } }
    expect(await me.attempt(api.passkeys.begin, { body })).toMatchObject(refusal)
    await me.call(api.secondFactor.begin)
    expect(await me.attempt(api.passkeys.begin, { body })).toMatchObject(refusal)
    const other = await withSecondFactor(t, await t.make.client(), clock)
    const credential = createAuthenticator().create(
      await other.me.call(api.passkeys.begin, { body }),
    )
    await other.me.call(api.secondFactor.turnOff, {
      body: { password: PASSWORD, code: other.code() },
    })
    await other.me.call(api.secondFactor.begin)
    const late = await other.me.attempt(api.passkeys.add, { body: { ...body, credential } })
    expect(late).toMatchObject(refusal)
  })

  test('needs a recent code, and the password in an older session', async () => {
    const { me, code } = await withSecondFactor(t, await t.make.client(), clock)
    clock.advance(11 * MINUTE)
    const begin = (more: object = {}) =>
      me.attempt(api.passkeys.begin, { body: { ...body, ...more } })
    expect((await begin()).body.code).toBe('SECOND_FACTOR_REQUIRED')
    await me.call(api.secondFactor.prove, { body: { code: code() } })
    expect((await begin()).body.message).toBe('Please enter your password')
    expect((await begin({ password: 'wrong password' })).status).toBe(400)
    expect((await begin({ password: PASSWORD })).status).toBe(200)
  })

  test('gives the device the chosen name and a random handle, and asks nothing about it', async () => {
    const client = await t.make.client()
    const { me } = await withSecondFactor(t, client, clock)
    const [first, second] = [
      await me.call(api.passkeys.begin, { body }),
      await me.call(api.passkeys.begin, { body }),
    ]
    expect(JSON.stringify(first)).not.toContain(client.username)
    expect(first.user).toMatchObject({ name: 'Key ring', displayName: 'Key ring' })
    expect(Buffer.from(first.user.id, 'base64url')).toHaveLength(64)
    expect(first.user.id).not.toBe(second.user.id)
    expect(first).toMatchObject({ attestation: 'none', rp: { id: 'hush.example' } })
  })

  test('takes each device once, and ten of them', async () => {
    const device = createAuthenticator()
    const { me } = await withPasskey(t, await t.make.client(), clock, device)
    const { excludeCredentials } = await me.call(api.passkeys.begin, { body })
    expect(excludeCredentials).toEqual([{ id: device.id, type: 'public-key' }])
    await expect(addPasskey(me, device)).rejects.toThrow('added already')
    for (let n = 1; n < 10; n += 1) await addPasskey(me)
    await expect(addPasskey(me)).rejects.toThrow('at most 10 passkeys')
    expect(await me.call(api.passkeys.list)).toHaveLength(10)
  })

  test('is refused where no browser offers passkeys', async () => {
    const bare = await testApp({ clock, on: t.database, env: { PUBLIC_URL: 'https://192.0.2.1' } })
    const { me } = await withSecondFactor(bare, await bare.make.client(), clock)
    expect(await me.attempt(api.passkeys.begin, { body })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('need https') },
    })
  })
})
