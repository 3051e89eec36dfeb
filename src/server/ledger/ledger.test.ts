import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { orders } from '../db/schema/sales.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { creditOf } from './credit.ts'
import { heldIn, transfer } from './ledger.ts'
import { statement } from './statement.ts'

const AT = new Date('2026-11-15T12:00:00Z')

describe.each(BOTH_DATABASES)('the ledger (%s)', async (database) => {
  const t = await testApp({ database })
  const client = await t.make.client()
  const [order] = await t.db
    .insert(orders)
    .values({ userId: client.id, planName: 'Small', amountCents: 500 })
    .returning()
  const orderId = order?.id ?? 0
  const about = { userId: client.id, orderId, reason: 'test', at: AT }

  test('accounts for every cent at all times', async () => {
    await t.db.transaction(async (tx) => {
      await transfer(tx, { ...about, from: 'received', to: 'held', cents: 500 })
      await transfer(tx, { ...about, from: 'received', to: 'credit', cents: 70 })
      await transfer(tx, { ...about, from: 'held', to: 'earned', cents: 500 })
    })
    expect(await statement(t.db)).toMatchObject({ received: 570, held: 0, earned: 500, credit: 70 })
    expect(await heldIn(t.db, 'earned', orderId)).toBe(500)
    expect(await creditOf(t.db, client.id)).toBe(70)
  })

  test('counts the money of one order and the credit of one client without those of others', async () => {
    const other = await t.make.client()
    const [row] = await t.db
      .insert(orders)
      .values({ userId: other.id, planName: 'Large', amountCents: 900 })
      .returning()
    const theirs = { ...about, userId: other.id, orderId: row?.id ?? 0 }
    await t.db.transaction(async (tx) => {
      await transfer(tx, { ...theirs, from: 'received', to: 'earned', cents: 900 })
      await transfer(tx, { ...theirs, from: 'received', to: 'credit', cents: 30 })
    })
    expect(await heldIn(t.db, 'earned', orderId)).toBe(500)
    expect(await heldIn(t.db, 'earned', theirs.orderId)).toBe(900)
    expect(await creditOf(t.db, client.id)).toBe(70)
    expect(await creditOf(t.db, other.id)).toBe(30)
  })

  test('refuses a transfer of less than nothing, which would take money the other way', async () => {
    const backwards = { ...about, from: 'earned', to: 'credit', cents: -1 } as const
    await expect(transfer(t.db, backwards)).rejects.toThrow('a transfer goes forward')
    expect(await heldIn(t.db, 'earned', orderId)).toBe(500)
    expect(await creditOf(t.db, client.id)).toBe(70)
  })

  test('detects money that no payment accounts for', async () => {
    expect((await statement(t.db)).isBalanced).toBe(false)
  })

  test('the database refuses a posting that does not sum to zero', async () => {
    const odd = sql`insert into ledger (posting, account, amount_cents, reason)
      values ('odd', 'received', 5, 'x'), ('odd', 'held', -4, 'x')`
    // Checked at the end of the transaction, which one of the drivers reports as a failed commit.
    const refusal = await t.db
      .transaction((tx) => tx.execute(odd))
      .catch((error: Error) => String(error.cause ?? error))
    expect(refusal).toMatch(/must add up to nothing: odd/)
  })

  test('the database refuses to change or delete an entry', async () => {
    await expect(t.db.execute(sql`update ledger set amount_cents = 1`)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
    await expect(t.db.execute(sql`delete from ledger`)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
  })

  test('the credit of a deleted account becomes unclaimed and is not lost', async () => {
    const boss = t.as(await t.make.admin())
    const reply = await boss.send({ method: 'DELETE', url: `/api/admin/users/${client.id}` })
    expect(reply.statusCode).toBeLessThan(300)
    expect(await statement(t.db)).toMatchObject({ credit: 100, unclaimed: 70 })
  })
})
