import { asc, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { aboutOrder } from '../audit/about-order.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { orders, packages } from '../db/schema/sales.ts'
import { createParts } from '../parts.ts'
import { openPackageChanges } from '../provisioning/testing/package-changes.ts'
import { type TestApp, testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { PROVIDER_WAYS, redeemVoucher, startEveryWay } from './testing/every-way.ts'
import { openTill } from './testing/till.ts'
import { byHand } from './testing/till-by-hand.ts'

/** Entries that say an order was placed; each is a webhook's `order.placed`, or begins a server's work. */
const PLACED = ['order.create', 'token.purchase', 'token.auto-renew', 'instance.package']
const PLAN = { cpu: '1 CPU', ram: '1 GB', storage: '10 GB SSD', osOptions: ['Debian 12'] }

const clock = testClock()

/** What the log, and with it every webhook, says of an order: placed first, then paid once. */
async function expectPaidOnce({ db }: TestApp, orderId: number, by: string) {
  const entries = await db
    .select({ action: auditLog.action, details: auditLog.details })
    .from(auditLog)
    .where(aboutOrder(orderId))
    .orderBy(asc(auditLog.id))
  const told = entries.filter(({ action }) => [...PLACED, 'order.paid'].includes(action))
  expect(told.map(({ action }) => (action === 'order.paid' ? action : 'placed'))).toEqual([
    'placed',
    'order.paid',
  ])
  expect(told[1]?.details).toMatchObject({ provider: by })
}

describe.each(BOTH_DATABASES)(
  'an order that is paid by a provider or credit, on %s',
  async (database) => {
    const every = await startEveryWay(clock)
    const till = await openTill(every.stand, { database, clock })
    const { t } = till
    const hand = byHand(till)
    const operator = await t.make.admin()
    const { autoRenewSweep } = createParts(t.deps)
    const plan = { ...PLAN, id: 'table', name: 'Table', priceCents: 500 }
    await t.db.insert(packages).values(plan)

    const rich = async (client: { id: number; role: string }, amount: string) =>
      await redeemVoucher(t, { operator, client, amount })
    const byLink = async (
      token: { id: number },
      client: { id: number; role: string },
      body: object,
    ) => {
      const { url } = await t.as(client).call(api.paymentLinks.create, { params: { id: token.id } })
      const params = { code: url.split('/').at(-1) ?? '' }
      await t.visitor.call(api.paymentLinks.pay, { params, body })
      const [order] = await t.db.select().from(orders).where(eq(orders.tokenId, token.id))
      return order?.id ?? 0
    }

    /** Places an order of each kind; the client has this much credit. */
    const KINDS = {
      purchase: async (body: object, credit: string) => {
        const { tokenId } = await till.stock()
        const client = await t.make.client()
        if (Number(credit) > 0) await rich(client, credit)
        return (await t.as(client).call(api.marketplace.purchase, { params: { tokenId }, body }))
          .order.id
      },
      package: async (body: object, credit: string) => {
        const client = await t.make.client()
        if (Number(credit) > 0) await rich(client, credit)
        const wanted = { packageId: plan.id, osType: 'Debian 12', ...body }
        return (await t.as(client).call(api.billing.order, { body: wanted })).order.id
      },
      renewal: async (body: object, credit: string) => {
        const { client, token } = await till.tenant()
        if (Number(credit) > 0) await rich(client, credit)
        return (await t.as(client).call(api.client.renew, { params: { id: token.id }, body })).order
          .id
      },
      'renewal by link': async (body: object, credit: string) => {
        const { client, token } = await till.tenant()
        if (Number(credit) > 0) await rich(client, credit)
        return await byLink(token, client, body)
      },
      'top-up': async (body: object, credit: string) => {
        const client = await t.make.client()
        if (Number(credit) > 0) await rich(client, credit)
        return (await t.as(client).call(api.credit.topUp, { body: { amount: '10.00', ...body } }))
          .order.id
      },
    }
    type Kind = keyof typeof KINDS
    const kinds = Object.keys(KINDS) as Kind[]
    const providerOf = { card: 'stripe', lightning: 'btcpay', bitcoin: 'btcpay' } as Record<
      string,
      string
    >

    const byProvider = kinds.flatMap((kind) =>
      PROVIDER_WAYS.flatMap((way) => [[kind, way, '0.00'] as const, [kind, way, '2.00'] as const]),
    )
    test.each(byProvider)(
      'a %s by %s with $%s of credit is paid once',
      async (kind, way, credit) => {
        const id = await KINDS[kind]({ paymentMethod: way }, credit)
        expect((await till.order(id)).status).toBe('pending')
        await every.pay(till, id, operator)
        await hand.poll()
        await hand.poll()
        expect((await till.order(id)).status).not.toBe('pending')
        await expectPaidOnce(t, id, providerOf[way] ?? way)
      },
    )

    const byCredit = (['purchase', 'package', 'renewal'] as const).flatMap((kind) => [
      [kind, { paymentMethod: 'credit' }] as const,
      [kind, {}] as const,
    ])
    test.each(byCredit)('a %s from credit (%o) is paid once', async (kind, body) => {
      const id = await KINDS[kind](body, '10.00')
      await hand.poll()
      expect((await till.order(id)).creditCents).toBe(500)
      await expectPaidOnce(t, id, 'credit')
    })

    test('an order that credit pays later is paid once', async () => {
      const { client, token } = await till.tenant()
      const call = { params: { id: token.id }, body: { paymentMethod: 'card' } }
      const { order } = await t.as(client).call(api.client.renew, call)
      await rich(client, '10.00')
      await t.as(client).call(api.billing.pay, { params: { id: order.id } })
      await expectPaidOnce(t, order.id, 'credit')
    })

    test('a renewal that the server makes itself is paid once', async () => {
      const { client, token } = await till.tenant()
      await rich(client, '10.00')
      const call = { params: { id: token.id }, body: { enabled: true } }
      await t.as(client).call(api.credit.autoRenew, call)
      await autoRenewSweep()
      await autoRenewSweep()
      const [order] = await t.db.select().from(orders).where(eq(orders.tokenId, token.id))
      await expectPaidOnce(t, order?.id ?? 0, 'credit')
    })

    test('no order has more than one such entry, and every paid one has it', async () => {
      const { rows } = (await t.db.execute(sql`
      select o.id from orders o
      left join audit_log l on l.action = 'order.paid' and l.target = 'order:' || o.id
      where o.status in ('paid', 'provisioning', 'active') and o.amount_cents > 0
      group by o.id having count(l.id) <> 1`)) as unknown as { rows: unknown[] }
      expect(rows).toEqual([])
    })
  },
)

describe.each(BOTH_DATABASES)('an order that is paid at once, on %s', async (database) => {
  const t = await testApp({ sim: true, database, clock: testClock() })
  const our = await openPackageChanges(t)

  test('a purchase, a top-up and a change of package are each paid once', async () => {
    const server = await our.rich()
    await our.begin(server, 'large')
    const placed = await t.db
      .select({ id: orders.id, kind: orders.kind })
      .from(orders)
      .where(eq(orders.userId, server.user.id))
      .orderBy(asc(orders.id))
    expect(placed.map(({ kind }) => kind)).toEqual(['purchase', 'top-up', 'change'])
    for (const { id, kind } of placed) {
      await expectPaidOnce(t, id, kind === 'change' ? 'credit' : 'sandbox')
    }
  })

  test('what costs nothing is never said to be paid', async () => {
    const token = await our.shop.token({ monthlyPrice: '0.00' })
    const client = await t.make.client()
    const params = { tokenId: token.tokenId }
    const { order } = await t.as(client).call(api.marketplace.trial, { params })
    const entries = await t.db.select().from(auditLog).where(aboutOrder(order.id))
    expect(entries.map(({ action }) => action)).not.toContain('order.paid')
  })
})
