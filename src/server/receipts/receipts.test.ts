import { asc, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { ledger, receipts } from '../db/schema/ledger.ts'
import { transfer } from '../ledger/ledger.ts'
import { openTill } from '../payments/testing/till.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { createReceipts } from './receipts.ts'

const SANDBOX = { env: { PAYMENT_PROVIDER: 'sandbox' } }
const SELLER = { name: 'House GmbH', address: 'Lane 1\n12345 Town', taxId: 'DE123' }

describe.each(EACH_DATABASE)('receipts, on %s', async (database) => {
  const clock = testClock()
  const till = await openTill(SANDBOX, { database, clock })
  const { t } = till
  const boss = await t.make.admin()
  /** A new session each time, because the tests move the clock. */
  const owner = () => t.as(boss)
  type Client = Awaited<ReturnType<typeof till.tenant>>['client']

  const receiptsOf = async (client: Client, id: number) =>
    (await t.as(client).call(api.billing.details, { params: { id } })).receipts
  const topUp = async (client: Client, amount: string) => {
    const body = { amount, paymentMethod: 'sandbox' }
    return (await t.as(client).call(api.credit.topUp, { body })).order
  }
  const refund = (id: number, to: 'credit' | 'none') =>
    owner().call(api.orders.update, { params: { id }, body: { status: 'cancelled', refund: to } })

  test('a renewal has one, with the time that was bought and how it was paid', async () => {
    const { client, order, token } = await till.renewal()
    const [only, ...others] = await receiptsOf(client, order.id)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      number: expect.stringMatching(/^R-\d{6}$/),
      kind: 'receipt',
      orderId: order.id,
      orderKind: 'renewal',
      amount: '5.00',
      currency: 'usd',
      months: 1,
      paidBy: [{ by: 'sandbox', amount: '5.00' }],
      seller: { name: null, address: null, taxId: null },
      corrects: null,
      period: {
        from: token.expiresAt?.toISOString(),
        to: new Date((token.expiresAt?.getTime() ?? 0) + 30 * DAY_MS).toISOString(),
      },
    })
  })

  test('are part of what an account can take along, each with its order', async () => {
    const { client, order } = await till.renewal()
    const [receipt] = await receiptsOf(client, order.id)
    const { orders } = await t.as(client).call(api.account.export)
    const { number, amount } = receipt ?? {}
    expect(orders.find(({ id }) => id === order.id)?.receipts).toMatchObject([{ number, amount }])
    expect((await t.as(await t.make.client()).call(api.account.export)).orders).toEqual([])
  })

  test('one that is issued does not change, whatever the operator or the database is told', async () => {
    const { client, order } = await till.renewal()
    const issued = await receiptsOf(client, order.id)
    await owner().call(api.books.setSeller, { body: SELLER })
    clock.advance(DAY_MS)
    expect(await receiptsOf(client, order.id)).toEqual(issued)
    const next = await till.renewal()
    expect(await receiptsOf(next.client, next.order.id)).toMatchObject([{ seller: SELLER }])
    await expect(t.db.update(receipts).set({ kind: 'credit note' })).rejects.toThrow()
    await expect(t.db.delete(receipts)).rejects.toThrow()
    expect(await receiptsOf(client, order.id)).toEqual(issued)
  })

  test('credit has one when it is bought, and what it pays has its own', async () => {
    const { client, token } = await till.tenant()
    const bought = await topUp(client, '20.00')
    expect(await receiptsOf(client, bought.id)).toMatchObject([
      { orderKind: 'top-up', amount: '20.00', period: null, paidBy: [{ by: 'sandbox' }] },
    ])
    const { order } = await t.as(client).call(api.client.renew, { params: { id: token.id } })
    expect(await receiptsOf(client, order.id)).toMatchObject([
      { amount: '5.00', paidBy: [{ by: 'credit', amount: '5.00' }] },
    ])
  })

  test('what is taken back has a credit note that names its receipt', async () => {
    const { client, order } = await till.renewal()
    const [receipt] = await receiptsOf(client, order.id)
    await refund(order.id, 'credit')
    const [same, note, ...others] = await receiptsOf(client, order.id)
    expect(others).toEqual([])
    expect(same).toEqual(receipt)
    expect(note).toMatchObject({
      number: expect.stringMatching(/^C-\d{6}$/),
      kind: 'credit note',
      amount: '5.00',
      corrects: receipt?.number,
      period: null,
      paidBy: [],
    })
  })

  test('a dispute that is lost and then won has a note and a receipt, and sums to what is earned', async () => {
    const { client, order, payment } = await till.renewal()
    const about = {
      userId: client.id,
      orderId: order.id,
      paymentId: payment.id,
      provider: 'sandbox',
      cents: 500,
      at: clock.now(),
    }
    await t.db.transaction(async (tx) => {
      await transfer(tx, { ...about, from: 'earned', to: 'received', reason: 'sent back' })
      await transfer(tx, { ...about, from: 'received', to: 'earned', reason: 'dispute won' })
    })
    const list = await receiptsOf(client, order.id)
    expect(list.map(({ kind }) => kind)).toEqual(['receipt', 'credit note', 'receipt'])
    expect(list[2]).toMatchObject({ paidBy: [{ by: 'sandbox', amount: '5.00' }], period: null })
  })

  test('an order that is not paid, or free, has none', async () => {
    const manual = await openTill({ env: { PAYMENT_PROVIDER: 'manual' } }, { database, clock })
    const { client, order } = await manual.renewal()
    const { receipts: none } = await manual.t
      .as(client)
      .call(api.billing.details, { params: { id: order.id } })
    expect(none).toEqual([])
  })

  test('another client sees none, and neither does a visitor or the staff in person', async () => {
    const { client, order } = await till.renewal()
    const ask = (who: ReturnType<typeof t.as>) =>
      who.attempt(api.billing.details, { params: { id: order.id } })
    expect((await ask(t.as(await t.make.client()))).status).toBe(404)
    expect((await ask(t.visitor)).status).toBe(401)
    expect((await ask(owner())).status).toBe(403)
    expect((await ask(t.as(client))).status).toBe(200)
  })

  test('two processes, many readers and a sweep issue each once, numbered without gaps', async () => {
    const sold: Awaited<ReturnType<typeof till.renewal>>[] = []
    for (let one = 0; one < 12; one += 1) sold.push(await till.renewal())
    const other = createReceipts(t.deps)
    const here = createReceipts(t.deps)
    await Promise.all([
      here.sweep(),
      other.sweep(),
      ...sold.map(({ order }) => other.of(order.id)),
      ...sold.map(({ client, order }) => receiptsOf(client, order.id)),
    ])
    const rows = await t.db.select().from(receipts).orderBy(asc(receipts.number))
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1))
    expect(new Set(rows.map(({ ledgerId }) => ledgerId)).size).toBe(rows.length)
    for (const { order } of sold) {
      expect(rows.filter(({ orderId }) => orderId === order.id)).toHaveLength(1)
    }
  })

  test('the first sweep of a process reaches what older ones missed, however long ago', async () => {
    const { order } = await till.renewal()
    const after = createReceipts(t.deps)
    clock.advance(40 * DAY_MS)
    await after.sweep()
    const rows = await t.db.select().from(receipts)
    expect(rows.filter(({ orderId }) => orderId === order.id)).toHaveLength(1)
    const next = await till.renewal()
    await after.sweep()
    const more = await t.db.select().from(receipts)
    expect(more.filter(({ orderId }) => orderId === next.order.id)).toHaveLength(1)
  })

  test('receipts equal the ledger to the cent, and outlive the account without naming it', async () => {
    const { client, order } = await till.renewal()
    await createReceipts(t.deps).sweep()
    const { rows } = (await t.db.execute(sql`
      select (select sum(case kind when 'receipt' then 1 else -1 end * (content->>'amount')::numeric)
        from receipts where content->>'orderKind' <> 'top-up')::text as issued,
      (select -sum(amount_cents)::numeric / 100 from ledger where account = 'earned')::text as earned
    `)) as unknown as { rows: { issued: string; earned: string }[] }
    expect(Number(rows[0]?.issued)).toBe(Number(rows[0]?.earned))
    const before = await t.db.select().from(receipts).orderBy(asc(receipts.number))
    await t.db.execute(sql`delete from users where id = ${client.id}`)
    expect(await t.db.select().from(receipts).orderBy(asc(receipts.number))).toEqual(before)
    expect(before.some(({ orderId }) => orderId === order.id)).toBe(true)
    const text = JSON.stringify(before)
    expect(text).not.toMatch(/user|client|email|address":"2|203\.0\.113/i)
    expect(await t.db.select().from(ledger)).not.toEqual([])
  })
})

test('without a setting a receipt says what the environment says to every visitor', async () => {
  const t = await testApp({ env: { OPERATOR_NAME: 'House', OPERATOR_PLACE: 'Town' } })
  const owner = t.as(await t.make.admin())
  const seller = { name: 'House', address: 'Town', taxId: null }
  expect(await owner.call(api.books.seller)).toEqual(seller)
  await owner.call(api.books.setSeller, { body: { name: '', address: null, taxId: 'X1' } })
  expect(await owner.call(api.books.seller)).toEqual({ name: null, address: null, taxId: 'X1' })
})
