import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { transfer } from '../../ledger/ledger.ts'
import { openTill } from '../../payments/testing/till.ts'
import { testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { ledgerTable } from './ledger-table.ts'

/** A long run has as many as a large house after years. */
const ROWS = process.env.LONG ? 500_000 : 12_000

describe.each(EACH_DATABASE)('the books, on %s', async (database) => {
  const clock = testClock()
  const ways = { env: { PAYMENT_PROVIDER: 'manual,sandbox' } }
  const till = await openTill(ways, { database, clock })
  const { t } = till
  const boss = await t.make.admin()
  const owner = () => t.as(boss)

  const renewBy = async (paymentMethod: string) => {
    const { client, token } = await till.tenant()
    const given = { params: { id: token.id }, body: { paymentMethod } }
    const { order } = await t.as(client).call(api.client.renew, given)
    return { client, order, payment: await till.paymentOf(order.id) }
  }
  const list = (query: Record<string, unknown> = {}) => owner().call(api.books.payments, { query })
  const idsOf = async (query: Record<string, unknown>) =>
    (await list(query)).payments.map(({ id }) => id)
  const table = async (query = '', who = owner()) =>
    await who.send({ method: 'GET', url: `/api/ledger.csv${query}` })
  const linesOf = (text: string) => text.trimEnd().split('\r\n').slice(1)

  test('payments are listed newest first, and a page follows a page', async () => {
    const made: number[] = []
    for (let one = 0; one < 5; one += 1) made.push((await renewBy('sandbox')).payment.id)
    const seen: number[] = []
    let before: number | undefined
    do {
      const page = await list({ limit: 2, ...(before && { before }) })
      expect(page.payments.length).toBeLessThanOrEqual(2)
      seen.push(...page.payments.map(({ id }) => id))
      before = page.next ?? undefined
    } while (before)
    expect(seen).toEqual(made.toReversed())
  })

  test('a filter finds by provider, state, day, order and the beginning of a reference', async () => {
    clock.advance(2 * DAY_MS)
    const open = await renewBy('manual')
    const paid = await renewBy('sandbox')
    const day = clock.now().toISOString().slice(0, 10)
    const dayBefore = new Date(clock.now().getTime() - DAY_MS).toISOString().slice(0, 10)
    expect(await idsOf({ provider: 'manual' })).toEqual([open.payment.id])
    expect(await idsOf({ state: 'pending' })).toEqual([open.payment.id])
    expect(await idsOf({ from: day })).toEqual([paid.payment.id, open.payment.id])
    expect(await idsOf({ to: dayBefore })).not.toContain(open.payment.id)
    expect(await idsOf({ q: String(open.order.id) })).toContain(open.payment.id)
    const reference = paid.payment.providerPaymentId
    expect(await idsOf({ q: reference })).toEqual([paid.payment.id])
    expect(await idsOf({ q: reference.slice(0, -1) })).toContain(paid.payment.id)
    expect(await idsOf({ provider: 'manual', state: 'paid' })).toEqual([])
    expect((await list()).providers).toEqual(['manual', 'sandbox'])
    const [first] = (await list({ q: reference })).payments
    expect(first).toMatchObject({ reference, lost: '0.00', orderKind: 'renewal' })
  })

  test.each(['%', '_', "' or 1=1 --", '\\', '99999999999999999999'])(
    'a search for %j finds nothing and breaks nothing',
    async (q) => {
      expect(await idsOf({ q })).toEqual([])
    },
  )

  test.each([{ from: '2026-02-30' }, { state: 'gone' }, { limit: 0 }, { before: -1 }])(
    'a filter that means nothing is refused: %j',
    async (query) => {
      expect((await owner().attempt(api.books.payments, { query } as never)).status).toBe(400)
    },
  )

  test('only those with the duty see payments, the ledger and the seller', async () => {
    for (const role of ['support', 'viewer', 'client'] as const) {
      const one = t.as(await t.make.client({ role }))
      for (const route of [api.books.payments, api.books.seller]) {
        expect((await one.attempt(route)).status).toBe(403)
      }
      expect((await table('', one)).statusCode).toBe(403)
    }
    expect((await table('', t.visitor)).statusCode).toBe(401)
    const billing = t.as(await t.make.client({ role: 'billing' }))
    expect((await billing.attempt(api.books.payments)).status).toBe(200)
    expect((await table('', billing)).statusCode).toBe(200)
  })

  test('the ledger is a table in which every posting sums to zero', async () => {
    await renewBy('sandbox')
    const answer = await table()
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="ledger.csv"',
      'cache-control': 'no-store',
    })
    expect(answer.body.split('\r\n')[0]).toBe(
      'time (UTC),posting,account,amount,currency,order,payment,provider,reason,coupon,discount',
    )
    const sums = new Map<string, number>()
    let open = ''
    for (const line of linesOf(answer.body)) {
      const [, posting = '', , amount = ''] = line.split(',')
      expect(amount).toMatch(/^-?\d+\.\d\d$/)
      // The entries of a posting are one after the other.
      if (posting !== open) expect(sums.has(posting)).toBe(false)
      open = posting
      sums.set(posting, (sums.get(posting) ?? 0) + Math.round(Number(amount) * 100))
    }
    expect(sums.size).toBeGreaterThan(5)
    expect([...sums.values()].every((sum) => sum === 0)).toBe(true)
  })

  test('a period has the entries of its days and no others', async () => {
    clock.advance(10 * DAY_MS)
    const day = clock.now().toISOString().slice(0, 10)
    const { order } = await renewBy('sandbox')
    clock.advance(DAY_MS)
    await renewBy('sandbox')
    const lines = linesOf((await table(`?from=${day}&to=${day}`)).body)
    expect(lines.map((line) => line.split(',')[5])).toEqual(Array(4).fill(String(order.id)))
    expect(linesOf((await table('?from=2001-01-01&to=2001-12-31')).body)).toEqual([])
    expect((await table('?from=yesterday')).statusCode).toBe(400)
  })

  test('no text in it is a formula', async () => {
    const { order } = await renewBy('sandbox')
    clock.advance(DAY_MS)
    const about = { userId: null, orderId: order.id, at: clock.now(), cents: 1 } as const
    await t.db.transaction((tx) =>
      transfer(tx, { ...about, from: 'held', to: 'credit', reason: '=HYPERLINK("http://x","y")' }),
    )
    const day = clock.now().toISOString().slice(0, 10)
    const [line] = linesOf((await table(`?from=${day}`)).body)
    expect(line).toContain(`,"'=HYPERLINK(""http://x"",""y"")"`)
  })

  test('a large ledger comes page by page: no more is read than the reader takes', async () => {
    // Half of the entries at one moment: pages must not lose or repeat what lies at their edge.
    await t.db.execute(sql`alter table ledger disable trigger ledger_balances`)
    for (let first = 0; first < ROWS; first += 50_000) {
      const last = Math.min(first + 50_000, ROWS) - 1
      await t.db.execute(sql`
        insert into ledger (posting, account, amount_cents, reason, at)
        select 'many-' || n / 2, case n % 2 when 0 then 'received' else 'credit' end,
          case n % 2 when 0 then 7 else -7 end, 'many',
          timestamptz '2020-01-01' + case when n < ${ROWS / 2} then 0 else n / 2 end * interval '1 ms'
        from generate_series(${first}::int, ${last}::int) n`)
    }
    await t.db.execute(sql`alter table ledger enable trigger ledger_balances`)
    let count = 0
    let largest = 0
    const seen = new Map<string, number>()
    const before = process.memoryUsage().heapUsed
    let most = before
    for await (const part of ledgerTable(t.db, { from: '2020-01-01', to: '2020-12-31' })) {
      const lines = part.trimEnd().split('\r\n')
      if (lines[0]?.startsWith('time')) continue
      count += lines.length
      largest = Math.max(largest, lines.length)
      most = Math.max(most, process.memoryUsage().heapUsed)
      for (const line of lines) {
        const [, posting = ''] = line.split(',')
        const times = seen.get(posting) ?? 0
        if (times === 1) seen.delete(posting)
        else seen.set(posting, times + 1)
      }
    }
    expect(count).toBe(ROWS)
    expect(seen.size).toBe(0)
    expect(largest).toBeLessThanOrEqual(2000)
    expect(most - before).toBeLessThan(150 * 1024 * 1024)
    const answer = await table('?from=2020-01-01&to=2020-12-31')
    expect(linesOf(answer.body)).toHaveLength(ROWS)
  }, 300_000)

  test('what receipts say is stored with who changed it, and control characters are refused', async () => {
    const body = { name: 'House', address: 'Lane 1\nTown', taxId: '' }
    expect(await owner().call(api.books.setSeller, { body })).toEqual({ ...body, taxId: null })
    expect(await owner().call(api.books.seller)).toEqual({ ...body, taxId: null })
    const rows = await t.db.select().from(auditLog)
    expect(rows.filter(({ action }) => action === 'receipts.seller')).toHaveLength(1)
    const bad = { body: { name: 'a\u0000b', address: null, taxId: null } }
    expect((await owner().attempt(api.books.setSeller, bad)).status).toBe(400)
    const long = { body: { name: 'x'.repeat(101), address: null, taxId: null } }
    expect((await owner().attempt(api.books.setSeller, long)).status).toBe(400)
  })
})
