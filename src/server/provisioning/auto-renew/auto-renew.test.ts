import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { orders, payments, subscriptions } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import { transfer } from '../../ledger/ledger.ts'
import { statement } from '../../ledger/statement.ts'
import { createParts } from '../../parts.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { type Person, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

describe.each(BOTH_DATABASES)('renewal from credit, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill({ env: { PAYMENT_PROVIDER: 'manual' } }, { database, clock })
  const { t } = till
  byHand(till)
  const operator = await t.make.admin()
  const { autoRenewSweep: sweep, suspensions } = createParts(t.deps)

  const turn = (client: Person, id: number, enabled: boolean) =>
    t.as(client).attempt(api.credit.autoRenew, { params: { id }, body: { enabled } })
  const markPaid = (id: number) =>
    t.as(operator).call(api.orders.update, { params: { id }, body: { status: 'paid' } })
  const give = async (client: Person, amount: string) => {
    const { order } = await t.as(client).call(api.credit.topUp, { body: { amount } })
    await markPaid(order.id)
  }
  /** A server for $5.00 that ends in so many days, with the switch on. */
  const renewed = async (days: number) => {
    const { client, token } = await till.tenant()
    const expiresAt = new Date(clock.now().getTime() + days * DAY_MS)
    await t.db.update(tokens).set({ expiresAt }).where(eq(tokens.id, token.id))
    expect((await turn(client, token.id, true)).status).toBe(200)
    const end = async () => (await till.token(token.id)).expiresAt?.getTime()
    return { client, token, expiresAt, end, credit: () => creditOf(t.db, client.id) }
  }
  const later = (from: Date) => from.getTime() + 30 * DAY_MS
  const audited = async (tokenId: number) =>
    (
      await t.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.target, `token:${tokenId}`))
    ).map(({ action }) => action)
  const renewalsOf = (tokenId: number) =>
    t.db.select().from(orders).where(eq(orders.tokenId, tokenId))

  test('it happens three days before the end, once', async () => {
    const { client, token, expiresAt, end, credit } = await renewed(4)
    await give(client, '20.00')
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
    clock.advance(DAY_MS)
    await Promise.all([sweep(), sweep(), sweep()])
    await sweep()
    expect(await end()).toBe(later(expiresAt))
    expect(await credit()).toBe(1500)
    expect(await renewalsOf(token.id)).toMatchObject([
      { kind: 'renewal', status: 'active', creditCents: 500 },
    ])
    expect(await audited(token.id)).toContain('token.auto-renew')
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('too little credit is said a week before, once, and renews as soon as there is more', async () => {
    const { client, token, expiresAt, end, credit } = await renewed(6)
    await give(client, '4.99')
    await sweep()
    await sweep()
    const told = (await audited(token.id)).filter((action) => action.endsWith('-short'))
    expect(told).toHaveLength(1)
    expect(await t.as(client).call(api.billing.overview)).toMatchObject({
      credit: '4.99',
      creditLasts: { until: expiresAt.toISOString(), missing: '0.01' },
    })
    clock.advance(5 * DAY_MS)
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
    expect(await credit()).toBe(499)
    await give(client, '1.00')
    await sweep()
    expect(await end()).toBe(later(expiresAt))
    expect(await credit()).toBe(99)
  })

  test('a server in its grace period runs again when credit comes', async () => {
    const { client, token, end } = await renewed(1)
    clock.advance(2 * DAY_MS)
    await t.db.update(tokens).set({ status: 'expired' }).where(eq(tokens.id, token.id))
    await give(client, '5.00')
    await sweep()
    expect((await till.token(token.id)).status).toBe('assigned')
    expect(await end()).toBe(later(clock.now()))
  })

  test('off is off, and never on by itself', async () => {
    const { client, token, expiresAt, end } = await renewed(1)
    await give(client, '20.00')
    expect((await turn(client, token.id, false)).body).toEqual({ enabled: false, renewsAt: null })
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
  })

  test('credit for one of two servers renews the one that ends first', async () => {
    const first = await renewed(2)
    const second = await renewed(1)
    await t.db
      .update(tokens)
      .set({ assignedUserId: first.client.id })
      .where(eq(tokens.id, second.token.id))
    await give(first.client, '7.00')
    await sweep()
    expect(await second.end()).toBe(later(second.expiresAt))
    expect(await first.end()).toBe(first.expiresAt.getTime())
  })

  test('an open renewal is continued, or left alone while its money is on its way', async () => {
    const { client, token, expiresAt, end, credit } = await renewed(1)
    const params = { id: token.id }
    const { order } = await t.as(client).call(api.client.renew, { params })
    await give(client, '5.00')
    await t.db.update(payments).set({ status: 'confirming' }).where(eq(payments.orderId, order.id))
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
    await t.db.update(payments).set({ status: 'pending' }).where(eq(payments.orderId, order.id))
    await sweep()
    expect(await end()).toBe(later(expiresAt))
    expect(await renewalsOf(token.id)).toHaveLength(1)
    expect(await credit()).toBe(0)
  })

  test('a suspended server costs nothing, and is renewed once it is resumed', async () => {
    const { client, token, expiresAt, end } = await renewed(1)
    await give(client, '5.00')
    const which = {
      instanceId: token.assignedInstanceId ?? 0,
      tokenId: token.id,
      name: token.name,
      ownerId: client.id,
    }
    const why = { reason: 'Abuse', cause: 'operator' } as const
    await t.db.transaction((tx) => suspensions.suspend(tx, which, why))
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
    await t.db.transaction((tx) => suspensions.resume(tx, which))
    await sweep()
    expect(await end()).toBe(later(expiresAt))
  })

  test('a server that is given up is no longer renewed', async () => {
    const { client, token } = await renewed(1)
    await give(client, '5.00')
    await t.as(client).call(api.client.cancel, { params: { id: token.id } })
    expect(await till.token(token.id)).toMatchObject({ status: 'cancelled', autoRenew: false })
  })

  test('a renewal that is taken back is not bought again', async () => {
    const { client, token, expiresAt, end, credit } = await renewed(1)
    await give(client, '5.00')
    await sweep()
    const [order] = await renewalsOf(token.id)
    await t.as(operator).call(api.orders.update, {
      params: { id: order?.id ?? 0 },
      body: { status: 'cancelled', refund: 'credit' },
    })
    expect(await end()).toBe(expiresAt.getTime())
    await sweep()
    expect(await credit()).toBe(500)
    expect(await turn(client, token.id, true)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/taken back/) },
    })
    // Even with the switch on the ledger refuses to take the money for this period twice.
    await t.db.update(tokens).set({ autoRenew: true }).where(eq(tokens.id, token.id))
    await sweep()
    expect(await end()).toBe(expiresAt.getTime())
    expect(await credit()).toBe(500)
    await t.db.update(tokens).set({ autoRenew: false }).where(eq(tokens.id, token.id))
  })

  test('the ledger takes one posting with a key', async () => {
    const { client } = await till.tenant()
    await give(client, '2.00')
    const post = () =>
      t.db.transaction((tx) =>
        transfer(tx, {
          from: 'credit',
          to: 'earned',
          cents: 1,
          userId: client.id,
          reason: 'a test',
          at: clock.now(),
          key: `test:${client.id}`,
        }),
      )
    await post()
    await expect(post()).rejects.toMatchObject({ cause: { constraint: 'ledger_key' } })
    const rows = await t.db
      .select()
      .from(ledger)
      .where(eq(ledger.key, `test:${client.id}`))
    expect(rows).toHaveLength(1)
  })

  test('only its owner turns it on, and only where it can be renewed', async () => {
    const { token } = await renewed(9)
    const stranger = await t.make.client()
    expect((await turn(stranger, token.id, true)).status).toBe(404)
    expect((await turn(stranger, 999_999, true)).status).toBe(404)
    const free = await till.tenant()
    await t.db.update(tokens).set({ monthlyPriceCents: 0 }).where(eq(tokens.id, free.token.id))
    expect((await turn(free.client, free.token.id, true)).status).toBe(409)
    const card = await till.tenant()
    await t.db.insert(subscriptions).values({
      userId: card.client.id,
      tokenId: card.token.id,
      providerSubscriptionId: `sub_${card.token.id}`,
      status: 'active',
    })
    expect(await turn(card.client, card.token.id, true)).toMatchObject({
      status: 409,
      body: { message: 'This server is renewed by card. Turn that off first.' },
    })
    expect((await till.token(card.token.id)).autoRenew).toBe(false)
    clock.advance(HOUR_MS)
  })
})
