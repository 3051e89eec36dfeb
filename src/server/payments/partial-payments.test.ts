import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { statement } from '../ledger/statement.ts'
import { testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { startBtcpay } from './testing/btcpay-stand-in.ts'
import { openTill } from './testing/till.ts'
import { byHand } from './testing/till-by-hand.ts'

describe.each(EACH_DATABASE)('payments in several parts, on %s', async (database) => {
  const clock = testClock()
  const btcpay = await startBtcpay({ clock })
  afterAll(() => btcpay.close())
  const till = await openTill(btcpay, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const admin = await t.make.admin()

  /**
   * Reserves a server for $5.00 and returns what the client and the operator see of its payment.
   */
  const reserved = async () => {
    const client = await t.make.client()
    const { tokenId } = await till.stock()
    const { order } = await t.as(client).call(api.marketplace.purchase, { params: { tokenId } })
    const { providerPaymentId: invoice } = await till.paymentOf(order.id)
    const params = { id: order.id }
    return {
      client,
      order,
      invoice,
      look: () => t.as(client).call(api.billing.details, { params }),
      asOperator: () => t.as(admin).call(api.orders.details, { params }),
      heard: () => hand.poll(),
    }
  }
  const address = (methods: { destination: string }[] | undefined) =>
    methods?.map(({ destination }) => destination)

  test('a partial payment shows what is left and keeps the payment address', async () => {
    const { invoice, look, asOperator, heard } = await reserved()
    const before = await look()
    await btcpay.send(invoice, 300)
    await heard()
    const part = await look()
    expect(part.checkout).toMatchObject({ due: '5.00', seen: '3.00', left: '2.00' })
    expect(part.order.status).toBe('pending')
    expect(address(part.checkout?.methods)).toEqual(address(before.checkout?.methods))
    expect(part.checkout?.methods[0]?.due).toBe('0.00004000 BTC')
    expect((await asOperator()).payments).toMatchObject([{ seen: '3.00', received: '0.00' }])
    await btcpay.confirm(invoice)
    await heard()
    expect((await look()).checkout).toMatchObject({ seen: '3.00', left: '2.00' })
    await btcpay.send(invoice, 200, 'BTC-LN')
    await heard()
    expect((await look()).checkout).toMatchObject({ state: 'confirming', left: '0.00' })
    await btcpay.confirm(invoice)
    await heard()
    expect(await look()).toMatchObject({
      checkout: null,
      payments: [{ status: 'paid', received: '5.00', seen: '5.00' }],
    })
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('an unconfirmed partial payment holds the reservation and becomes credit in the end', async () => {
    const { client, invoice, look, heard } = await reserved()
    await btcpay.send(invoice, 300)
    await heard()
    clock.advance(31 * MINUTE_MS)
    await hand.lapse()
    expect((await look()).order.status).toBe('pending')
    await btcpay.expire(invoice)
    await heard()
    await hand.lapse()
    expect(await look()).toMatchObject({
      order: { status: 'cancelled' },
      payments: [{ status: 'expired', received: '0.00', seen: '3.00' }],
    })
    await btcpay.confirm(invoice)
    await heard()
    expect((await look()).payments).toMatchObject([{ received: '3.00', seen: '3.00' }])
    const { credit } = await t.as(client).call(api.billing.overview)
    expect(credit).toBe('3.00')
  })

  test('an overpayment is shown before it is final and becomes credit', async () => {
    const { client, invoice, look, heard } = await reserved()
    await btcpay.send(invoice, 800)
    await heard()
    expect((await look()).checkout).toMatchObject({ due: '5.00', seen: '8.00', left: '0.00' })
    await btcpay.confirm(invoice)
    await heard()
    expect((await look()).payments).toMatchObject([{ received: '8.00', seen: '8.00' }])
    expect((await t.as(client).call(api.billing.overview)).credit).toBe('3.00')
  })

  test('double-spent coins no longer count', async () => {
    const { invoice, look, heard } = await reserved()
    await btcpay.send(invoice, 300)
    await heard()
    await btcpay.doubleSpend(invoice)
    await heard()
    expect((await look()).checkout).toMatchObject({ state: 'pending', seen: '0.00', left: '5.00' })
  })
})
