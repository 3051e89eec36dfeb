import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { users } from '../../db/schema/accounts.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { orders, subscriptions } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { consoleTickets, jobs } from '../../db/schema/work.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import { statement } from '../../ledger/statement.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { INVALID, openHandovers } from '../testing/handovers.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const WRONG = '00000-00000-00000-00000-00000-0'

describe.each(BOTH_DATABASES)('taking a server over on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openHandovers(t)

  const setInstance = ({ id }: SoldServer, values: Partial<typeof instances.$inferInsert>) =>
    t.db.update(instances).set(values).where(eq(instances.id, id))
  const setToken = ({ tokenId }: SoldServer, values: Partial<typeof tokens.$inferInsert>) =>
    t.db.update(tokens).set(values).where(eq(tokens.id, tokenId))
  const ownerOf = async (server: SoldServer) => {
    const [token, instance] = [await shop.tokenRow(server.tokenId), await our.row(server)]
    expect(instance.ownerId).toBe(token.assignedUserId)
    return instance.ownerId
  }
  const isUntouched = async (server: SoldServer) => {
    expect(await ownerOf(server)).toBe(server.user.id)
    expect(await our.handover(server)).toBeUndefined()
    expect(await our.jobsOf(server)).toEqual([])
  }

  test('gives it to the other account, with its time, and leaves the money where it is', async () => {
    const server = await our.server()
    await setToken(server, { autoRenew: true })
    const before = await shop.tokenRow(server.tokenId)
    const money = async () => ({
      ledger: await t.db.select().from(ledger).orderBy(ledger.id),
      orders: await t.db.select().from(orders).orderBy(orders.id),
    })
    const booked = await money()
    const receiver = await t.make.client()
    const { status, body } = await our.take(receiver, await our.codeFor(server))
    expect({ status, body }).toMatchObject({ status: 202, body: { instanceId: server.id } })
    expect(await ownerOf(server)).toBe(receiver.id)
    expect(await money()).toEqual(booked)
    expect((await statement(t.db)).isBalanced).toBe(true)
    const after = await shop.tokenRow(server.tokenId)
    const kept = { status: 'assigned', expiresAt: before.expiresAt }
    // Whose credit is spent on it is for the new owner to say.
    expect(after).toMatchObject({ ...kept, autoRenew: false })
    expect(await t.as(server.user).call(api.client.instances)).toEqual([])
    expect(await t.as(server.user).call(api.client.tokens)).toEqual([])
    const [mine] = await t.as(receiver).call(api.client.tokens)
    expect(mine).toMatchObject({ id: server.tokenId, password: '' })
    const billing = await t.as(server.user).call(api.billing.overview)
    expect(billing.orders).toMatchObject([{ status: 'active', server: 'ended' }])
    expect((await t.as(receiver).call(api.billing.overview)).orders).toEqual([])
    await hand.run(body.jobId)
  })

  test('moves what falls due to the new owner', async () => {
    const server = await our.server()
    const { user, tokenId } = server
    await setToken(server, { expiresAt: new Date(clock.now().getTime() + DAY_MS) })
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, await our.codeFor(server))
    const dueOf = async (who: typeof user) => (await t.as(who).call(api.billing.overview)).due
    expect(await dueOf(user)).toEqual([])
    expect(await dueOf(receiver)).toMatchObject([{ tokenId }])
    const renew = { params: { id: tokenId } }
    expect((await t.as(user).attempt(api.client.renew, renew)).status).toBe(404)
    expect((await t.as(receiver).attempt(api.client.renew, renew)).status).toBe(201)
    await hand.run(body.jobId)
  })

  test('forgets the password and the keys of the former owner in the same moment', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const old = await our.key(server.user, PUBLIC_KEYS.rsa.publicKey)
    const reinstall = await our.ask(server.user, server, { sshKeyIds: [old.id] })
    await hand.run(reinstall.body.jobId)
    expect(await keysOn(t.db, server.id)).toEqual([old.publicKey])
    const own = await our.key(receiver, PUBLIC_KEYS.ed25519.publicKey)
    const { body } = await our.take(receiver, await our.codeFor(server), [own.id])
    expect(await keysOn(t.db, server.id)).toEqual([own.publicKey])
    expect((await our.logins(server)).stored.password).toBe('')
    await hand.run(body.jobId)
  })

  test('takes only keys of the receiver’s own ring, and the code stays good', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const theirs = await our.key(server.user, PUBLIC_KEYS.rsa.publicKey)
    const code = await our.codeFor(server)
    const refused = await our.take(receiver, code, [theirs.id])
    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'A key you chose is no longer among your SSH keys. Choose again.' },
    })
    await isUntouched(server)
    const { status, body } = await our.take(receiver, code)
    expect(status).toBe(202)
    await hand.run(body.jobId)
  })

  test('ends the former owner’s console links, and its view of the work under way', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const code = await our.codeFor(server)
    const params = { id: server.id }
    await t.as(server.user).call(api.consoles.ticket, { params })
    await t.as(server.user).call(api.servers.change, { params, body: { hostname: 'mail' } })
    const [renaming] = await hand.waiting()
    const { body } = await our.take(receiver, code)
    const tickets = await t.db
      .select()
      .from(consoleTickets)
      .where(eq(consoleTickets.instanceId, server.id))
    expect(tickets).toEqual([])
    const [job] = await t.db
      .select()
      .from(jobs)
      .where(eq(jobs.id, renaming?.id ?? ''))
    expect(job?.ownerId).toBe(receiver.id)
    for (const route of [api.servers.get, api.servers.activity, api.consoles.ticket]) {
      expect((await t.as(server.user).attempt(route, { params })).status).toBe(404)
    }
    await hand.runAll()
    expect((await shop.jobRow(body.jobId)).state).toBe('done')
  })

  test('keeps the hostname unless the receiver has it already, and never the label', async () => {
    const receiver = await t.make.client()
    for (const hostname of ['mail', null]) {
      const server = await our.server()
      await setInstance(server, { hostname: 'mail', label: 'Of Alice', notes: 'Paid in cash' })
      const { body } = await our.take(receiver, await our.codeFor(server))
      expect(await our.row(server)).toMatchObject({ hostname, label: null, notes: 'Paid in cash' })
      await hand.run(body.jobId)
      const name = our.vmOf(server).config.name ?? ''
      expect(name.startsWith('mail.')).toBe(hostname === 'mail')
    }
  })

  test('answers every code that opens nothing in the same way', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const first = await our.codeFor(server)
    const second = await our.codeFor(server)
    for (const code of [WRONG, 'x', '%00', '../..', first, `${second}0`]) {
      expect(await our.take(receiver, code)).toMatchObject(INVALID)
    }
    expect(await our.take(server.user, second)).toMatchObject(INVALID)
    clock.advance(DAY_MS)
    expect(await our.take(receiver, second)).toMatchObject(INVALID)
    await isUntouched(server)
    const third = await our.codeFor(server)
    expect((await our.withdraw(server.user, server)).status).toBe(204)
    expect(await our.take(receiver, third)).toMatchObject(INVALID)
    await isUntouched(server)
  })

  test('is typed as people type: in small letters, without dashes, with O for 0', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const code = (await our.codeFor(server)).toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')
    const { status, body } = await our.take(receiver, ` ${code} `)
    expect(status).toBe(202)
    await hand.run(body.jobId)
  })

  test.each<[string, (server: SoldServer) => Promise<unknown>]>([
    [
      'it is suspended',
      (server) =>
        setInstance(server, {
          suspendedAt: clock.now(),
          suspendReason: 'Abuse',
          suspendCause: 'operator',
        }),
    ],
    ['it is being reinstalled', (server) => setInstance(server, { status: 'reinstalling' })],
    ['its VM is gone', (server) => setInstance(server, { missingSince: clock.now() })],
    ['its time is over', (server) => setToken(server, { status: 'expired' })],
    [
      'it has ended',
      (server) => setToken(server, { status: 'cancelled', cancelledAt: clock.now() }),
    ],
    [
      'a card is charged for it',
      ({ tokenId, user }) =>
        t.db.insert(subscriptions).values({
          userId: user.id,
          tokenId,
          providerSubscriptionId: `sub-${tokenId}`,
          status: 'active',
        }),
    ],
    [
      'its owner’s account is closed',
      ({ user }) => t.db.update(users).set({ isActive: false }).where(eq(users.id, user.id)),
    ],
    [
      'its owner is another one by now',
      async (server) => setToken(server, { assignedUserId: (await t.make.client()).id }),
    ],
  ])('does not work once %s', async (_, change) => {
    const server = await our.server()
    const receiver = await t.make.client()
    const code = await our.codeFor(server)
    await change(server)
    const before = [await shop.tokenRow(server.tokenId), await our.row(server)]
    expect(await our.take(receiver, code)).toMatchObject(INVALID)
    expect([await shop.tokenRow(server.tokenId), await our.row(server)]).toEqual(before)
    expect(await our.handover(server)).toBeUndefined()
  })

  test('is refused to operators, to visitors and while simulating', async () => {
    const server = await our.server()
    const code = await our.codeFor(server)
    const admin = await t.make.admin()
    const params = { code }
    expect((await our.take(admin, code)).status).toBe(403)
    expect((await t.visitor.attempt(api.client.takeOver, { params })).status).toBe(401)
    const other = { params: { userId: (await t.make.client()).id } }
    const { cookie } = await t.as(admin).attempt(api.simulation.start, other)
    const simulated = await t.with(cookie ?? '').attempt(api.client.takeOver, { params })
    expect(simulated).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
    await isUntouched(server)
  })
})

describe('trying codes', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })

  test('is limited for each account, by ten in an hour', async () => {
    const who = t.as(await t.make.client())
    const tries = Array.from({ length: 12 }, () =>
      who.attempt(api.client.takeOver, { params: { code: WRONG } }),
    )
    const answers = await Promise.all(tries)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10)
    const late = answers.filter(({ status }) => status === 429)
    expect(late).toHaveLength(2)
    expect(late[0]?.body.message).toBe('Too many codes were tried. Try again in 60 minutes.')
    const other = t.as(await t.make.client())
    expect(await other.attempt(api.client.takeOver, { params: { code: WRONG } })).toMatchObject(
      INVALID,
    )
  })
})
