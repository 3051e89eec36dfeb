import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { orders } from '../db/schema/sales.ts'
import { testApp } from '../testing/test-app.ts'
import { creditOf, lockCredit } from './credit.ts'
import { transfer } from './ledger.ts'

// The embedded database runs one transaction at a time, so only PostgreSQL has anything to lock.
test('a transaction that spends credit waits for another of the same client and sees what it left', async () => {
  const t = await testApp({ database: 'postgres' })
  const client = await t.make.client()
  const [order] = await t.db
    .insert(orders)
    .values({ userId: client.id, planName: 'Small', amountCents: 500 })
    .returning()
  const about = { userId: client.id, orderId: order?.id ?? 0, reason: 'test', at: new Date() }
  await transfer(t.db, { ...about, from: 'received', to: 'credit', cents: 500 })

  const locked = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  const first = t.db.transaction(async (tx) => {
    await lockCredit(tx, client.id)
    locked.resolve()
    await mayGoOn.promise
    await transfer(tx, { ...about, from: 'credit', to: 'held', cents: 500 })
  })
  await locked.promise
  const second = t.db.transaction(async (tx) => {
    await lockCredit(tx, client.id)
    return await creditOf(tx, client.id)
  })
  const secondWaits = vi.waitFor(async () => {
    const { rows } = (await t.db.execute(
      sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )) as unknown as { rows: unknown[] }
    expect(rows).toHaveLength(1)
  }, 10_000)
  await Promise.any([second, secondWaits])
  mayGoOn.resolve()
  await first
  expect(await second).toBe(0)
})
