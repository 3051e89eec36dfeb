import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { orders, payments } from '../db/schema/sales.ts'
import { testApp } from '../testing/test-app.ts'
import { transfer } from './ledger.ts'
import { statement } from './statement.ts'

test('an entry without its counterpart, written past the guard of the database, unbalances the books', async () => {
  const t = await testApp()
  const client = await t.make.client()
  const [order] = await t.db
    .insert(orders)
    .values({ userId: client.id, planName: 'Small', amountCents: 500 })
    .returning()
  const orderId = order?.id ?? 0
  await t.db.insert(payments).values({
    orderId,
    provider: 'manual',
    providerPaymentId: 'first',
    amountCents: 500,
    receivedCents: 500,
    status: 'paid',
  })
  const about = { userId: client.id, orderId, reason: 'paid', at: new Date() }
  await transfer(t.db, { ...about, from: 'received', to: 'held', cents: 500 })
  expect(await statement(t.db)).toMatchObject({ received: 500, held: 500, isBalanced: true })

  // As a repair by hand or a damaged backup could leave it.
  await t.db.execute(sql`alter table ledger disable trigger ledger_balances`)
  await t.db.execute(sql`insert into ledger (posting, account, amount_cents, reason)
    values ('lone', 'earned', -4, 'x')`)
  expect(await statement(t.db)).toMatchObject({ received: 500, earned: 4, isBalanced: false })
})
