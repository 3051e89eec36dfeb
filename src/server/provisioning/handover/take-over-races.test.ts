import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { users } from '../../db/schema/accounts.ts'
import { handoverCodes } from '../../db/schema/handovers.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { endLeases, press, withoutAnswers } from '../../idempotency/testing/press.ts'
import { creditOf } from '../../ledger/credit.ts'
import { statement } from '../../ledger/statement.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { INVALID, openHandovers } from '../testing/handovers.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)(
  'taking a server over and something else at once, on %s',
  async (database) => {
    const clock = testClock()
    const t = await testApp({ sim: true, database, clock })
    const { shop, hand, ...our } = await openHandovers(t)

    const setToken = ({ tokenId }: SoldServer, values: Partial<typeof tokens.$inferInsert>) =>
      t.db.update(tokens).set(values).where(eq(tokens.id, tokenId))
    const ownerOf = async (server: SoldServer) => {
      const [token, instance] = [await shop.tokenRow(server.tokenId), await our.row(server)]
      expect(instance.ownerId).toBe(token.assignedUserId)
      return instance.ownerId
    }

    test('has one winner among many accounts at once', async () => {
      const server = await our.server()
      const code = await our.codeFor(server)
      const people = await Promise.all(Array.from({ length: 6 }, () => t.make.client()))
      const answers = await Promise.all(
        people.flatMap((who) => [our.take(who, code), our.take(who, code)]),
      )
      const won = answers.filter(({ status }) => status === 202)
      expect(won).toHaveLength(1)
      for (const answer of answers) if (answer !== won[0]) expect(answer).toMatchObject(INVALID)
      expect(people.map(({ id }) => id)).toContain(await ownerOf(server))
      expect(await our.jobsOf(server)).toHaveLength(1)
      await hand.runAll()
    })

    test('and its withdrawal at once: one of the two happens', async () => {
      const outcomes = new Set<string>()
      for (let round = 0; round < 6; round += 1) {
        const server = await our.server()
        const receiver = await t.make.client()
        const code = await our.codeFor(server)
        const acts = [() => our.take(receiver, code), () => our.withdraw(server.user, server)]
        const [a, b] = await Promise.all(
          (round % 2 === 0 ? acts : acts.reverse()).map((act) => act()),
        )
        const taken = [a, b].some((answer) => answer?.status === 202)
        outcomes.add(taken ? 'taken' : 'withdrawn')
        expect(await ownerOf(server)).toBe(taken ? receiver.id : server.user.id)
        const isOfIt = eq(handoverCodes.tokenId, server.tokenId)
        expect(await t.db.select().from(handoverCodes).where(isOfIt)).toEqual([])
        await hand.runAll()
      }
      expect(outcomes.size).toBeGreaterThan(0)
    })

    test.each(['end', 'reinstall', 'renew'] as const)(
      'and its owner’s %s at once: neither is half done',
      async (act) => {
        for (let round = 0; round < 3; round += 1) {
          const server = await our.server()
          const { id, tokenId, user, name } = server
          await setToken(server, { expiresAt: new Date(clock.now().getTime() + DAY_MS) })
          const receiver = await t.make.client()
          const code = await our.codeFor(server)
          const acts = {
            end: () =>
              t.as(user).attempt(api.instances.end, {
                params: { id },
                body: { refund: 'none', confirm: name },
              }),
            reinstall: () => our.ask(user, server),
            renew: () => t.as(user).attempt(api.client.renew, { params: { id: tokenId } }),
          }
          const [taking, other] = await Promise.all([our.take(receiver, code), acts[act]()])
          const isTaken = taking.status === 202
          expect(await ownerOf(server)).toBe(isTaken ? receiver.id : user.id)
          if (!isTaken) expect(taking).toMatchObject(INVALID)
          // Only a renewal that was paid first goes together with it.
          if (isTaken && act !== 'renew') expect(other.status).toBeGreaterThanOrEqual(400)
          if (!isTaken) expect(other.status).toBeLessThan(300)
          expect((await statement(t.db)).isBalanced).toBe(true)
          await hand.runAll()
        }
      },
    )

    test('ends a renewal that its owner has not paid; what arrives later is the owner’s credit', async () => {
      const server = await our.server()
      const { tokenId, user } = server
      const receiver = await t.make.client()
      const code = await our.codeFor(server)
      const { expiresAt } = await shop.tokenRow(tokenId)
      const order = { userId: user.id, tokenId, planName: 'Shop', amountCents: 500 }
      const [open] = await t.db
        .insert(orders)
        .values({ ...order, kind: 'renewal', status: 'pending' })
        .returning()
      const orderId = open?.id ?? 0
      const [payment] = await t.db
        .insert(payments)
        .values({
          orderId,
          provider: 'btcpay',
          providerPaymentId: `invoice-${orderId}`,
          amountCents: 500,
          status: 'confirming',
        })
        .returning()
      expect((await our.offer(user, server)).body.message).toBe(
        'A renewal of this server is not paid yet. Pay or cancel it in Billing first.',
      )
      expect((await our.take(receiver, code)).status).toBe(202)
      expect(await shop.orderRow(orderId)).toMatchObject({ status: 'cancelled', userId: user.id })
      const facts = { state: 'paid', receivedCents: 500, refundedCents: 0 } as const
      await hand.settlement.settle(payment?.id ?? 0, facts)
      expect(await creditOf(t.db, user.id)).toBe(500)
      expect(await creditOf(t.db, receiver.id)).toBe(0)
      expect(await shop.tokenRow(tokenId)).toMatchObject({ expiresAt, assignedUserId: receiver.id })
      expect((await statement(t.db)).isBalanced).toBe(true)
      await hand.runAll()
    })

    test('an operator who cancels the giver’s order takes back its time, and ends nothing', async () => {
      const { server, receiver, jobId } = await our.taken()
      await hand.run(jobId)
      const { tokenId } = server
      const isIt = eq(orders.tokenId, tokenId)
      const [bought] = await t.db.select().from(orders).where(isIt)
      const renewal = { userId: receiver.id, tokenId, planName: 'Shop', amountCents: 500 }
      const [open] = await t.db
        .insert(orders)
        .values({ ...renewal, kind: 'renewal', status: 'pending' })
        .returning()
      const listed = await shop.admin.call(api.orders.list)
      expect(listed.find(({ id }) => id === bought?.id)).toMatchObject({ instanceId: null })
      await shop.admin.call(api.orders.update, {
        params: { id: bought?.id ?? 0 },
        body: { status: 'cancelled', refund: 'credit' },
      })
      expect(await shop.tokenRow(tokenId)).toMatchObject({
        status: 'assigned',
        assignedUserId: receiver.id,
        expiresAt: clock.now(),
      })
      expect(await shop.orderRow(open?.id ?? 0)).toMatchObject({ status: 'pending' })
      expect(await creditOf(t.db, server.user.id)).toBe(500)
      expect((await statement(t.db)).isBalanced).toBe(true)
    })

    test('goes on where its answer was lost', async () => {
      const server = await our.server()
      const receiver = t.as(await t.make.client())
      const input = { params: { code: await our.codeFor(server) }, body: {} }
      const key = 'one press'
      const first = await withoutAnswers(t, () => press(receiver, api.client.takeOver, input, key))
      expect(first.status).toBe(202)
      await endLeases(t)
      const again = await press(receiver, api.client.takeOver, input, key)
      expect(again).toMatchObject({ status: 202, body: first.body, isReplay: true })
      expect(await our.jobsOf(server)).toHaveLength(1)
      await hand.runAll()
    })

    test('ends with the account of the giver, and survives its deletion afterwards', async () => {
      const server = await our.server()
      const receiver = await t.make.client()
      const code = await our.codeFor(server)
      await shop.admin.call(api.users.remove, { params: { id: server.user.id } })
      expect(await our.take(receiver, code)).toMatchObject(INVALID)
      const { server: second, jobId, receiver: owner } = await our.taken()
      await shop.admin.call(api.users.remove, { params: { id: second.user.id } })
      expect(await ownerOf(second)).toBe(owner.id)
      expect(await our.handover(second)).toMatchObject({ giverId: null, loginSetAt: null })
      await hand.run(jobId)
      expect(await our.handover(second)).toMatchObject({ loginSetAt: clock.now() })
      await hand.runAll()
    })

    test('is not possible for an account that is being deleted', async () => {
      const server = await our.server()
      const receiver = await t.make.client()
      const code = await our.codeFor(server)
      const who = t.as(receiver)
      await who.cookie
      const [answer] = await Promise.all([
        who.attempt(api.client.takeOver, { params: { code }, body: {} }),
        shop.admin.call(api.users.remove, { params: { id: receiver.id } }),
      ])
      expect([202, 401, 422]).toContain(answer.status)
      expect(await t.db.select().from(users).where(eq(users.id, receiver.id))).toEqual([])
      // Taken first, it ended with the account; else it is still the giver's.
      const token = await shop.tokenRow(server.tokenId)
      if (answer.status === 202) expect(token).toMatchObject({ status: 'cancelled' })
      else expect(token).toMatchObject({ status: 'assigned', assignedUserId: server.user.id })
      await hand.runAll()
    })
  },
)
