import { setTimeout as pause } from 'node:timers/promises'
import { sum } from 'drizzle-orm'
import { Agent, fetch } from 'undici'
import { describe, expect, test } from 'vitest'
import { idempotencyKeys } from '../../src/server/db/schema/idempotency.ts'
import { ledger } from '../../src/server/db/schema/ledger.ts'
import { orders, payments } from '../../src/server/db/schema/sales.ts'
import { creditOf } from '../../src/server/ledger/credit.ts'
import { statement } from '../../src/server/ledger/statement.ts'
import { openTill } from '../../src/server/payments/testing/till.ts'
import { atEnd } from '../../src/server/testing/at-end.ts'
import { testApp, testClock } from '../../src/server/testing/test-app.ts'
import { BOTH_DATABASES } from '../../src/server/testing/test-db.ts'
import { api } from '../../src/shared/api/index.ts'

const CLIENTS = 500
const TRIES = 3
/** Clients that send at once, each its three tries. */
const AT_ONCE = 50
const PRICE = 500
const TOP_UP = { amount: '10.00', cents: 1000 }
const ENV = { PAYMENT_PROVIDER: 'sandbox' }
/** Nothing is delivered, so the books show each sale once, as held. */
const withJobs = 'queued'

type Answer = { status: number; text: string } | undefined
type Buyer = { userId: number; key: string; tokenId: string; hasCredit: boolean }

describe.each(BOTH_DATABASES)('clients that retry every purchase, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill({ env: ENV }, { database, clock, withJobs })
  const { t } = till
  // The embedded database has one process, PostgreSQL may have several.
  const second =
    database === 'postgres' ? await testApp({ on: t.database, clock, env: ENV, withJobs }) : t
  const urls = [
    await t.app.listen({ port: 0 }),
    second === t ? undefined : await second.app.listen({ port: 0 }),
  ].filter((url) => url !== undefined)

  // A connection that was cut before its request keeps a server from closing.
  const dispatcher = new Agent()
  atEnd(() => dispatcher.destroy())

  /** Every other client has credit for two servers: a second sale would be paid without a word. */
  const newBuyer = async (index: number): Promise<Buyer> => {
    const client = await t.make.client()
    const caller = t.as(client)
    const hasCredit = index % 2 === 0
    if (hasCredit) await caller.call(api.credit.topUp, { body: { amount: TOP_UP.amount } })
    const body = { name: 'shop', scopes: ['billing:spend' as const] }
    const { key } = await caller.call(api.apiKeys.create, { body })
    const { tokenId } = await till.stock()
    return { userId: client.id, key, tokenId, hasCredit }
  }

  const send = async (
    { key, tokenId }: Buyer,
    at: number,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const reply = await fetch(`${urls[at % urls.length]}/api/marketplace/purchase/${tokenId}`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'the one purchase' },
      ...(signal && { signal }),
    })
    return { status: reply.status, text: await reply.text() }
  }

  /** What a careful client does: the same key again, until there is an answer to keep. */
  const untilAnswered = async (buyer: Buyer, at: number, signal?: AbortSignal): Promise<string> => {
    for (let next = at; ; next += 1) {
      const isCut = next === at && signal !== undefined
      const answer = await send(buyer, next, isCut ? signal : undefined).catch((error: Error) => {
        if (error.name !== 'TimeoutError') throw error
        return undefined
      })
      if (answer?.status === 201) return answer.text
      if (answer && !answer.text.includes('IN_FLIGHT')) throw new Error(answer.text)
      await pause(50)
    }
  }

  /** Three tries that overlap. The connection of one is cut: before, during or after the sale. */
  const buy = async (buyer: Buyer, index: number): Promise<string[]> => {
    const tries = Array.from({ length: TRIES }, (_, at) => {
      const isCut = at === index % TRIES
      return untilAnswered(buyer, at, isCut ? AbortSignal.timeout((index * 7) % 200) : undefined)
    })
    return await Promise.all(tries)
  }

  const LIMIT = { timeout: 900_000 }

  test(`${CLIENTS} clients with ${TRIES} tries each have ${CLIENTS} orders`, LIMIT, async () => {
    const buyers: Buyer[] = []
    for (let index = 0; index < CLIENTS; index += 1) buyers.push(await newBuyer(index))
    const before = await t.db.$count(orders)
    const told = new Map<number, string[]>()
    const queue = buyers.entries()
    const lane = async () => {
      for (const [index, buyer] of queue) told.set(buyer.userId, await buy(buyer, index))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))

    const placed = await t.db.select().from(orders).orderBy(orders.id).offset(before)
    expect(placed).toHaveLength(CLIENTS)
    expect(new Set(placed.map(({ userId }) => userId)).size).toBe(CLIENTS)
    for (const { id, userId } of placed) {
      const answers = told.get(userId ?? 0) ?? []
      expect(answers).toHaveLength(TRIES)
      expect(new Set(answers).size).toBe(1)
      expect(JSON.parse(answers[0] ?? '')).toMatchObject({ order: { id } })
    }
    const keys = await t.db.select({ state: idempotencyKeys.state }).from(idempotencyKeys)
    expect(keys).toEqual(keys.map(() => ({ state: 'answered' })))
    expect(keys).toHaveLength(CLIENTS)

    const perClient = await t.db
      .select({ userId: ledger.userId, cents: sum(ledger.amountCents).mapWith(Number) })
      .from(ledger)
      .groupBy(ledger.userId)
    expect(perClient).toHaveLength(CLIENTS)
    expect(perClient.filter(({ cents }) => cents !== 0)).toEqual([])
    for (const { userId, hasCredit } of buyers) {
      expect(await creditOf(t.db, userId)).toBe(hasCredit ? TOP_UP.cents - PRICE : 0)
    }
    const topUps = CLIENTS / 2
    // From credit nothing is paid to a provider.
    expect(await t.db.$count(payments)).toBe(topUps + CLIENTS / 2)
    expect(await statement(t.db)).toMatchObject({
      isBalanced: true,
      received: topUps * TOP_UP.cents + (CLIENTS / 2) * PRICE,
      held: CLIENTS * PRICE,
      credit: topUps * (TOP_UP.cents - PRICE),
    })
  })
})
