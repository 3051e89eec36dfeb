import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { doOperatorAct } from '../../commands/operator-acts.ts'
import { secondFactors, users } from '../../db/schema/accounts.ts'
import { withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'

const REQUIRED = { OPERATOR_SECOND_FACTOR: 'required' }
const routes: [string, Route][] = Object.entries(api).flatMap(([noun, group]) =>
  Object.entries(group).map(([name, route]): [string, Route] => [`${noun}.${name}`, route]),
)

describe('an operator who must have a second factor and has none', async () => {
  const t = await testApp({ env: REQUIRED })

  test('is let in to what sets it up, and to nothing else', async () => {
    const boss = await t.make.admin()
    const open: string[] = []
    for (const [name, route] of routes) {
      if (route.access === 'public') continue
      const url = route.path.replaceAll(/:\w+/g, '2000000000')
      const answer = await t.as(boss).send({ method: route.method, url })
      const { code } = answer.body === '' ? { code: undefined } : answer.json()
      // A route that no operator may call is refused for that.
      if (code === 'SECOND_FACTOR_REQUIRED' || code === 'FORBIDDEN') continue
      open.push(name)
    }
    expect(open.sort()).toEqual(
      [
        'auth.logout',
        'auth.me',
        'secondFactor.begin',
        'secondFactor.confirm',
        'secondFactor.state',
      ].sort(),
    )
  })

  test('is told so by the answer to the sign-in, as no client is', async () => {
    const boss = await t.make.admin()
    const body = { username: boss.username, password: PASSWORD }
    expect(await t.visitor.call(api.auth.login, { body })).toMatchObject({
      needsSecondFactor: true,
    })
    const client = await t.make.client()
    expect(await t.as(client).call(api.auth.me)).not.toHaveProperty('needsSecondFactor')
  })

  // A simulation that was under way when the second factor became required.
  test('leaves a simulation, in which everything else is refused, and sets it up', async () => {
    const boss = await t.make.admin()
    const client = await t.make.client()
    const token = (await t.as(boss).cookie) ?? ''
    const { sessionId = 0 } = (await t.sessions.resolve(token)) ?? {}
    const simulated = await t.db.transaction((tx) =>
      t.sessions.rotate(tx, sessionId, { userId: client.id }),
    )
    const looking = t.with(simulated.token)
    const answer = await looking.attempt(api.account.activity)
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'SECOND_FACTOR_REQUIRED', details: { reason: 'set-up' } },
    })
    expect(answer.body.message).toContain('Return to Admin')
    expect(await looking.call(api.auth.me)).toMatchObject({
      isSimulated: true,
      needsSecondFactor: true,
    })
    const returned = await looking.attempt(api.simulation.end)
    expect(returned.status).toBe(204)
    const back = t.with(returned.cookie ?? '')
    expect(await back.call(api.auth.me)).toMatchObject({ id: boss.id, needsSecondFactor: true })
    const started = await back.attempt(api.secondFactor.begin, { body: { password: PASSWORD } })
    expect(started.status).toBe(200)
  })
})

test('an operator with a second factor may do everything, and clients need none', async () => {
  const clock = testClock()
  const t = await testApp({ env: REQUIRED, clock })
  const { me } = await withSecondFactor(t, await t.make.admin(), clock)
  expect((await me.attempt(api.users.list)).status).toBe(200)
  expect(await me.call(api.auth.me)).not.toHaveProperty('needsSecondFactor')
  expect((await t.as(await t.make.client()).attempt(api.account.activity)).status).toBe(200)
})

describe('a dangerous call', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const MINUTE = 60_000

  test('asks for a code again after ten minutes, and works once it was entered', async () => {
    const boss = await t.make.admin()
    const { me, code } = await withSecondFactor(t, boss, clock)
    const other = await t.make.admin()
    const change = () =>
      me.attempt(api.users.update, { params: { id: other.id }, body: { firstName: 'Ann' } })
    expect((await change()).status).toBe(200)
    clock.advance(10 * MINUTE)
    expect(await change()).toMatchObject({
      status: 403,
      body: { code: 'SECOND_FACTOR_REQUIRED', details: { reason: 'prove' } },
    })
    const wrong = await me.attempt(api.secondFactor.prove, { body: { code: '000000' } })
    expect(wrong.status).toBe(400)
    expect((await change()).status).toBe(403)
    await me.call(api.secondFactor.prove, { body: { code: code() } })
    expect((await change()).status).toBe(200)
    const again = await me.attempt(api.secondFactor.prove, { body: { code: code() } })
    expect(again.status).toBe(400)
  })

  test('is any that shows a secret, ends a server, or changes who may, who is paid or who learns what', () => {
    const dangerous = routes.filter(([, route]) => route.needsProof).map(([name]) => name)
    expect(dangerous.sort()).toEqual(
      [
        'account.remove',
        'apiKeys.create',
        'instances.end',
        'instances.reveal',
        'ownWebhooks.create',
        'ownWebhooks.replaceSecret',
        'ownWebhooks.update',
        'passkeys.begin',
        'providerKeys.remove',
        'providerKeys.save',
        'providerKeys.turn',
        'recovery.makeKit',
        'tokens.reveal',
        'users.create',
        'users.createClient',
        'users.remove',
        'users.resetPassword',
        'users.resetSecondFactor',
        'users.update',
      ].sort(),
    )
  })

  test('needs a proof of this very session, not of another one', async () => {
    const client = await t.make.client()
    const { me, code } = await withSecondFactor(t, client, clock)
    clock.advance(11 * MINUTE)
    const elsewhere = t.as(client)
    await me.call(api.secondFactor.prove, { body: { code: code() } })
    const reveal = (who: typeof me) => who.attempt(api.instances.reveal, { params: { id: 1 } })
    expect((await reveal(me)).status).toBe(404)
    expect((await reveal(elsewhere)).body.code).toBe('SECOND_FACTOR_REQUIRED')
  })
})

describe('a lost second factor', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const isOn = (id: number) => t.db.$count(secondFactors, eq(secondFactors.userId, id))

  test('is reset by another operator, which ends its sessions; not by its owner or a client', async () => {
    const [boss, other, client] = [
      await t.make.admin(),
      await t.make.admin(),
      await t.make.client(),
    ]
    const lost = await withSecondFactor(t, other, clock)
    const reset = (who: typeof boss, id: number) =>
      t.as(who).attempt(api.users.resetSecondFactor, { params: { id } })
    expect((await reset(client, other.id)).status).toBe(403)
    const own = await lost.me.attempt(api.users.resetSecondFactor, { params: { id: other.id } })
    expect(own.body.code).toBe('INVALID_STATE')
    expect(await isOn(other.id)).toBe(1)
    expect((await reset(boss, other.id)).status).toBe(204)
    expect(await isOn(other.id)).toBe(0)
    expect((await lost.me.attempt(api.auth.me)).status).toBe(401)
    expect((await reset(boss, other.id)).body.code).toBe('INVALID_STATE')
    expect((await reset(boss, 2_000_000_000)).status).toBe(404)
  })

  test('of the last operator is reset by npm run admin', async () => {
    const email = t.make.email('last')
    const boss = await t.make.admin({ email })
    await withSecondFactor(t, boss, clock)
    const { lines } = await doOperatorAct(t.db, { act: 'admin-reset', email })
    expect(lines.at(-1)).toBe('Its second factor is off: set a new one up after signing in.')
    expect(await isOn(boss.id)).toBe(0)
    const body = { username: email, password: lines[1] ?? '' }
    expect((await t.visitor.attempt(api.auth.login, { body })).status).toBe(200)
    const [row] = await t.db.select().from(users).where(eq(users.id, boss.id))
    expect(row?.isActive).toBe(true)
  })
})
