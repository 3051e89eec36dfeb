import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { recoveries, recoveryKits, users } from '../../db/schema/accounts.ts'
import { createParts } from '../../parts.ts'
import { withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const NEW = 'a password made on another machine'
const HOUR = 3_600_000

describe.each(EACH_DATABASE)('recovery on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock })
  const begin = (username: string, words: string | string[], password = NEW) =>
    t.visitor.attempt(api.recovery.begin, { body: { username, words, password } })
  const login = async (username: string, password: string, code?: string) => {
    const body = { username, password, ...(code && { code }) }
    return (await t.visitor.attempt(api.auth.login, { body })).status
  }
  const withKit = async () => {
    const client = await t.make.client()
    const me = t.as(client)
    return { client, me, ...(await me.call(api.recovery.makeKit)) }
  }

  test('gives an account back by twelve words on a fresh machine, after the delay', async () => {
    const { client, me, words } = await withKit()
    expect(words).toHaveLength(12)
    const begun = await begin(client.username, words)
    expect(begun.status).toBe(202)
    const after = new Date(clock.now().getTime() + 72 * HOUR).toISOString()
    expect(begun.body.availableAt).toBe(after)
    clock.advance(72 * HOUR - 1)
    expect(await login(client.username, NEW)).toBe(401)
    expect(await login(client.username, PASSWORD)).toBe(200)
    clock.advance(1)
    expect(await login(client.username, NEW)).toBe(200)
    expect(await login(client.username, PASSWORD)).toBe(401)
    expect((await me.attempt(api.auth.me)).status).toBe(401)
    // The words were used up.
    expect((await begin(client.username, words)).status).toBe(401)
  })

  test('reads the words however they are typed', async () => {
    const { client, words } = await withKit()
    const typed = words.map((word, n) => `${n + 1}. ${word.toUpperCase()}`).join(',\n')
    expect((await begin(client.username, typed)).status).toBe(202)
    expect((await begin(client.username, words.toReversed())).status).toBe(401)
  })

  test('is seen and stopped by every open session, also by two at once', async () => {
    const { client, me, words } = await withKit()
    await begin(client.username, words)
    const elsewhere = t.as(client)
    for (const session of [me, elsewhere]) {
      expect((await session.call(api.recovery.state)).availableAt).not.toBeNull()
    }
    const stops = await Promise.all([me, elsewhere].map((one) => one.attempt(api.recovery.stop)))
    expect(stops.map(({ status }) => status).sort()).toEqual([204, 409])
    expect(await me.call(api.recovery.state)).toMatchObject({ startedAt: null, availableAt: null })
    clock.advance(73 * HOUR)
    expect(await login(client.username, NEW)).toBe(401)
    expect(await login(client.username, PASSWORD)).toBe(200)
  })

  test('does not pass a second factor by before the delay, and turns it off after it', async () => {
    const { client, words } = await withKit()
    const { code } = await withSecondFactor(t, client, clock)
    await begin(client.username, words)
    for (const password of [NEW, PASSWORD]) {
      expect(await login(client.username, password)).toBe(401)
    }
    expect(await login(client.username, NEW, code())).toBe(401)
    clock.advance(71 * HOUR)
    expect(await login(client.username, PASSWORD, code())).toBe(200)
    clock.advance(HOUR)
    expect(await login(client.username, NEW)).toBe(200)
  })

  test('waits no longer when the same request comes again, and anew for another password', async () => {
    const { client, words } = await withKit()
    const first = await begin(client.username, words)
    clock.advance(HOUR)
    const [again, same] = await Promise.all([1, 2].map(() => begin(client.username, words)))
    expect(again?.body.availableAt).toBe(first.body.availableAt)
    expect(same?.body.availableAt).toBe(first.body.availableAt)
    const other = await begin(client.username, words, 'yet another password of theirs')
    expect(Date.parse(other.body.availableAt)).toBe(clock.now().getTime() + 72 * HOUR)
    clock.advance(71.5 * HOUR)
    expect(await login(client.username, NEW)).toBe(401)
  })

  test('ends when the password is changed: its owner is there', async () => {
    const { client, me, words } = await withKit()
    await begin(client.username, words)
    const changed = 'changed by its owner'
    await me.call(api.account.changePassword, {
      body: { currentPassword: PASSWORD, newPassword: changed },
    })
    clock.advance(73 * HOUR)
    expect(await login(client.username, changed)).toBe(200)
  })

  test('takes effect without a sign-in, and only where it is due', async () => {
    const [due, early] = [await withKit(), await withKit()]
    await begin(due.client.username, due.words)
    clock.advance(HOUR)
    await begin(early.client.username, early.words)
    clock.advance(71 * HOUR)
    await createParts(t.deps).recoveries.sweep()
    expect((await due.me.attempt(api.auth.me)).status).toBe(401)
    expect(await t.db.$count(recoveries, eq(recoveries.userId, due.client.id))).toBe(0)
    expect(await t.db.$count(recoveries, eq(recoveries.userId, early.client.id))).toBe(1)
  })
})

describe('the answer to words', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

  test('is the same for an unknown account, none without a kit, wrong ones, and no client', async () => {
    const [plain, inactive, later] = [
      await t.make.client(),
      await t.make.client(),
      await t.make.client(),
    ]
    const withKit = await t.make.client()
    await t.as(withKit).call(api.recovery.makeKit)
    const { words: ofInactive } = await t.as(inactive).call(api.recovery.makeKit)
    await t.db.update(users).set({ isActive: false }).where(eq(users.id, inactive.id))
    const { words: ofLater } = await t.as(later).call(api.recovery.makeKit)
    const boss = t.as(await t.make.admin())
    await boss.call(api.users.update, { params: { id: later.id }, body: { role: 'admin' } })
    expect(await t.db.$count(recoveryKits, eq(recoveryKits.userId, later.id))).toBe(0)
    const tries: [string, string | string[]][] = [
      ['9999999', WORDS],
      [plain.username, WORDS],
      [withKit.username, WORDS],
      [withKit.username, 'no words of any list'],
      [withKit.username, ''.padEnd(40, '1')],
      [inactive.username, ofInactive],
      [later.username, ofLater],
    ]
    for (const [username, words] of tries) {
      const answer = await t.visitor.attempt(api.recovery.begin, {
        body: { username, words, password: NEW },
      })
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 401,
        body: {
          code: 'INVALID_CREDENTIALS',
          message: 'The username or the words are not right. Check their spelling and their order.',
        },
      })
    }
    expect(await t.db.$count(recoveries)).toBe(0)
  })

  test('refuses a password that is short or common before it looks at the words', async () => {
    for (const password of ['short', 'password123']) {
      const answer = await t.visitor.attempt(api.recovery.begin, {
        body: { username: '9999999', words: WORDS, password },
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    }
  })

  test('is slowed for one network that guesses at one account', async () => {
    const limited = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
    const statuses = []
    for (let n = 0; n < 12; n += 1) {
      const body = { username: '1234567', words: `${WORDS} ${n}`, password: NEW }
      statuses.push((await limited.visitor.attempt(api.recovery.begin, { body })).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(8)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  })
})

describe('a recovery kit', async () => {
  const clock = testClock()
  const t = await testApp({ clock })

  test('needs the password, unless it was just entered; new words end the old ones', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const { words: old } = await me.call(api.recovery.makeKit)
    clock.advance(11 * 60_000)
    const make = (body: { password?: string }) => me.attempt(api.recovery.makeKit, { body })
    expect((await make({})).status).toBe(400)
    expect((await make({ password: 'wrong password' })).status).toBe(400)
    const { body } = await make({ password: PASSWORD })
    const begin = (words: string[]) =>
      t.visitor.attempt(api.recovery.begin, {
        body: { username: client.username, words, password: NEW },
      })
    expect((await begin(old)).status).toBe(401)
    expect((await begin(body.words)).status).toBe(202)
    expect(JSON.stringify(await t.db.select().from(recoveryKits))).not.toContain(body.words[0])
  })

  test('is not made for an operator, whose account opens the whole house', async () => {
    const answer = await t.as(await t.make.admin()).attempt(api.recovery.makeKit)
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  })

  test('goes with its account, as does a recovery, and both are in its export', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const { words } = await me.call(api.recovery.makeKit)
    await t.visitor.call(api.recovery.begin, {
      body: { username: client.username, words, password: NEW },
    })
    const exported = await me.call(api.account.export)
    expect(exported.recoveryKit?.createdAt).toBeTruthy()
    expect(exported.recovery?.availableAt).toBeTruthy()
    expect(JSON.stringify(exported)).not.toMatch(/argon2/)
    const actions = (await me.call(api.account.activity)).map(({ action }) => action)
    expect(actions).toEqual(['auth.recovery-started', 'account.recovery-kit'])
    await me.call(api.account.remove, { body: { password: PASSWORD, confirm: client.username } })
    for (const table of [recoveries, recoveryKits]) {
      expect(await t.db.$count(table, eq(table.userId, client.id))).toBe(0)
    }
  })
})
