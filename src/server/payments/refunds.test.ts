import { eq } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { jobs } from '../db/schema/work.ts'
import { systemClock } from '../lib/clock.ts'
import { startBtcpay } from './testing/btcpay-stand-in.ts'
import { startStripe } from './testing/stripe-stand-in.ts'
import { openTill } from './testing/till.ts'

const stripe = await startStripe()
const btcpay = await startBtcpay()
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
})

const CASES = [
  {
    name: 'stripe',
    database: 'embedded',
    stand: stripe,
    payInFull: (id: string) => stripe.pay(id),
    sentBack: (id: string) => [stripe.sessions.get(id)?.refunded],
  },
  {
    name: 'btcpay',
    database: 'postgres',
    stand: btcpay,
    async payInFull(id: string) {
      await btcpay.send(id, 500)
      await btcpay.confirm(id)
      return btcpay.reports.at(-1) ?? { payload: '', headers: {} }
    },
    sentBack: (id: string) =>
      btcpay.refunds
        .filter(({ invoiceId }) => invoiceId === id)
        .map(({ amount }) => Number(amount) * 100),
  },
] as const

const soon = { timeout: 40_000, interval: 50 }

test.each(CASES)('$name sends a refund once, even if it was unreachable at first', async (how) => {
  const { stand, database } = how
  const till = await openTill(stand, { database, clock: systemClock, withJobs: true })
  const { t } = till
  const { order, payment } = await till.renewal()
  await till.deliver(await how.payInFull(payment.providerPaymentId))
  const status = async () => (await till.order(order.id)).status
  await vi.waitFor(async () => expect(await status()).toBe('active'), soon)

  stand.faults.isBusy = true
  const admin = t.as(await t.make.admin())
  const body = { status: 'cancelled', refund: 'provider' } as const
  await admin.call(api.orders.update, { params: { id: order.id }, body })
  const refund = async () => (await t.db.select().from(jobs).where(eq(jobs.kind, 'refund')))[0]
  await vi.waitFor(async () => expect((await refund())?.state).toBe('waiting'), soon)
  stand.faults.isBusy = false
  await vi.waitFor(async () => expect((await refund())?.state).toBe('done'), soon)

  expect(how.sentBack(payment.providerPaymentId)).toEqual([500])
  expect(await till.paymentOf(order.id)).toMatchObject({ status: 'refunded', refundedCents: 500 })
  const { failure } = await till.order(order.id)
  expect(failure ?? '').toMatch(how.name === 'btcpay' ? /^Your money waits for you at http/ : /^$/)
  expect(await admin.call(api.payments.status)).toMatchObject({ isBalanced: true })
})
