import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { users } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { sshKeys } from '../../db/schema/ssh-keys.ts'
import { transfer } from '../../ledger/ledger.ts'
import { PASSWORD, VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

describe('deleting an account', async () => {
  const t = await testApp()
  const body = (username: string) => ({ password: PASSWORD, confirm: username })

  test('needs its password and its username, and changes nothing without them', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const wrong = await me.attempt(api.account.remove, {
      body: { ...body(client.username), password: 'wrong' },
    })
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    const slip = await me.attempt(api.account.remove, { body: body('1234567') })
    expect(slip).toMatchObject({ status: 400, body: { message: 'Type your username to confirm.' } })
    expect((await me.attempt(api.auth.me)).status).toBe(200)
  })

  test('signs it out everywhere and never reuses its number', async () => {
    const client = await t.make.client()
    const [here, elsewhere] = [t.as(client), t.as(client)]
    await elsewhere.call(api.auth.me)
    await here.call(api.account.remove, { body: body(client.username) })
    expect((await elsewhere.attempt(api.auth.me)).status).toBe(401)
    const again = await t.visitor.attempt(api.auth.login, {
      body: { username: client.username, password: PASSWORD },
    })
    expect(again.status).toBe(401)
  })

  test('removes its SSH keys', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    await me.call(api.sshKeys.add, {
      body: { name: 'laptop', publicKey: PUBLIC_KEYS.ed25519.publicKey },
    })
    await me.call(api.account.remove, { body: body(client.username) })
    expect(await t.db.$count(sshKeys)).toBe(0)
  })

  test('is refused to administrators, whose actions must stay on record', async () => {
    await t.db.update(users).set({ isActive: false }).where(eq(users.role, 'admin'))
    const boss = await t.make.admin()
    const remove = (who: typeof boss) =>
      t.as(who).attempt(api.account.remove, { body: body(who.username) })
    expect(await remove(boss)).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } })
    const second = await t.make.admin()
    expect(await remove(second)).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    expect(await t.db.$count(users, eq(users.id, second.id))).toBe(1)
  })

  test('is refused while an administrator simulates the client, and so is the export', async () => {
    const boss = await t.make.admin()
    const client = await t.make.client()
    const { cookie } = await t
      .as(boss)
      .attempt(api.simulation.start, { params: { userId: client.id } })
    const simulated = t.with(cookie ?? '')
    for (const route of [api.account.export, api.account.deletion] as const) {
      expect(await simulated.attempt(route)).toMatchObject({ status: 403 })
    }
    const gone = await simulated.attempt(api.account.remove, { body: body(client.username) })
    expect(gone).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
  })

  test('with credit needs a second confirmation, and the ledger keeps the credit as unclaimed', async () => {
    const client = await t.make.client()
    const [order] = await t.db
      .insert(orders)
      .values({ userId: client.id, planName: 'x', amountCents: 500, status: 'cancelled' })
      .returning()
    await t.db.transaction((tx) =>
      transfer(tx, {
        from: 'received',
        to: 'credit',
        cents: 500,
        userId: client.id,
        orderId: order?.id ?? 0,
        reason: 'test',
        at: new Date(),
      }),
    )
    const me = t.as(client)
    expect(await me.call(api.account.deletion)).toMatchObject({ credit: '5.00', servers: 0 })
    const first = await me.attempt(api.account.remove, { body: body(client.username) })
    expect(first).toMatchObject({ status: 409, body: { message: expect.stringContaining('5.00') } })
    await me.call(api.account.remove, { body: { ...body(client.username), giveUpMoney: true } })
    expect(await t.db.$count(users, eq(users.id, client.id))).toBe(0)
  })

  test('happens once if requested twice at once', async () => {
    const client = await t.make.client()
    const answers = await Promise.all(
      [t.as(client), t.as(client)].map((me) =>
        me.attempt(api.account.remove, { body: body(client.username) }),
      ),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(answers.every(({ status }) => [204, 401, 404].includes(status))).toBe(true)
  })
})

describe('the export of an account', async () => {
  const t = await testApp({ sim: true })

  test('contains everything of its owner, nothing of others, and no password or hash', async () => {
    const [mine, other] = [await t.make.client({ firstName: 'Zoe' }), await t.make.client()]
    const [own, foreign] = [
      await t.make.owned(t.cluster, 100, mine),
      await t.make.owned(t.cluster, 101, other),
    ]
    await t.db.insert(orders).values([
      { userId: mine.id, planName: 'Mine', amountCents: 500 },
      { userId: other.id, planName: 'Foreign', amountCents: 500 },
    ])
    for (const [who, key] of [
      [mine, PUBLIC_KEYS.ed25519],
      [other, PUBLIC_KEYS.rsa],
    ] as const) {
      const { publicKey } = key
      await t.as(who).call(api.sshKeys.add, { body: { name: 'laptop', publicKey } })
    }
    await t.visitor.attempt(api.auth.login, {
      body: { username: mine.username, password: PASSWORD },
    })
    const data = await t.as(mine).call(api.account.export)
    expect(data).toMatchObject({
      account: { username: mine.username, firstName: 'Zoe' },
      servers: [{ tokenId: own.token.tokenId }],
      orders: [{ planName: 'Mine', payments: [] }],
      sshKeys: [{ name: 'laptop', type: 'ssh-ed25519', ...PUBLIC_KEYS.ed25519 }],
      activity: [
        { action: 'auth.login', by: 'you' },
        { action: 'account.add-ssh-key', by: 'you' },
      ],
    })
    expect(data.sessions.length).toBe(3)
    const text = JSON.stringify(data)
    const foreigners = [other.username, foreign.token.tokenId, 'Foreign', 'ssh-rsa']
    const secrets = [VM_PASSWORD, '$argon2', mine.passwordHash, mine.auditKey, own.token.password]
    for (const hidden of [...foreigners, ...secrets]) expect(text).not.toContain(hidden)
  })
})
