import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testClock } from '../../testing/test-app.ts'
import { billsBy } from '../testing/bills.ts'
import { startBtcpay } from '../testing/btcpay-stand-in.ts'
import { btcpayProvider } from './btcpay.ts'

const clock = testClock()
const stand = await startBtcpay({ clock })
afterAll(() => stand.close())
const config = {
  url: stand.url,
  storeId: stand.env.BTCPAY_STORE_ID,
  apiKey: stand.env.BTCPAY_API_KEY,
  webhookSecret: stand.env.BTCPAY_WEBHOOK_SECRET,
  paymentMethods: undefined,
}
const btcpay = btcpayProvider(config, clock)
const { fetchState, refund } = btcpay
if (!fetchState || !refund) throw new Error('BTCPay can do both')

const bill = billsBy(clock)
const opened = async () => (await btcpay.createCheckout(bill())).paymentId

beforeEach(() => {
  Object.assign(stand.faults, { isAway: false, loseAnswers: 0 })
  stand.asked.length = 0
})

test.each([
  ['http://169.254.169.254', 'link-local'],
  ['http://192.0.0.8', 'https'],
])('the key is not sent to %s', async (url, reason) => {
  const error = await btcpayProvider({ ...config, url }, clock)
    .fetchState?.('x')
    .catch((caught: unknown) => caught)
  expect(String((error as Error).cause)).toContain(reason)
})

describe('an invoice', () => {
  test('states the amount, the order and the deadline', async () => {
    const { paymentId, url, expiresAt } = await btcpay.createCheckout(bill({ orderId: 4711 }))
    expect(url).toBe(`https://btcpay.example/i/${paymentId}`)
    expect(expiresAt).toEqual(new Date(clock.now().getTime() + 30 * 60_000))
    expect(stand.invoices.get(paymentId)?.request).toEqual({
      amount: '5.00',
      currency: 'USD',
      metadata: {
        orderId: '4711-1',
        orderUrl: 'https://vps.example/billing/orders/1',
        itemDesc: '2 CPU 4 GB RAM',
      },
      checkout: {
        expirationMinutes: 30,
        monitoringMinutes: 1440,
        paymentTolerance: 0,
        redirectURL: 'https://vps.example/billing/orders/1',
        redirectAutomatically: true,
      },
    })
  })

  test('is found again if the answer was lost', async () => {
    const same = bill()
    stand.faults.loseAnswers = 1
    await expect(btcpay.createCheckout(same)).rejects.toMatchObject({ code: 'PAYMENT_UNAVAILABLE' })
    const { paymentId } = await btcpay.createCheckout(same)
    const made = [...stand.invoices.values()].filter(
      ({ orderId }) => orderId === `${same.orderId}-1`,
    )
    expect(made.map(({ id }) => id)).toEqual([paymentId])
    const next = await btcpay.createCheckout({ ...same, attempt: 2 })
    expect(next.paymentId).not.toBe(paymentId)
  })

  test('of another way is not reused, though both were chosen at the same moment', async () => {
    const coins = { ...config, paymentMethods: ['BTC-LN', 'BTC-CHAIN'] }
    const { createCheckout } = btcpayProvider(coins, clock)
    const same = bill()
    const lightning = await createCheckout({ ...same, way: 'lightning' })
    const bitcoin = await createCheckout({ ...same, way: 'bitcoin' })
    const requestOf = ({ paymentId }: { paymentId: string }) =>
      stand.invoices.get(paymentId)?.request
    expect(requestOf(lightning)).toMatchObject({ checkout: { paymentMethods: ['BTC-LN'] } })
    expect(requestOf(bitcoin)).toMatchObject({ checkout: { paymentMethods: ['BTC-CHAIN'] } })
    const again = await createCheckout({ ...same, way: 'lightning' })
    expect(again.paymentId).toBe(lightning.paymentId)
  })

  test('of another database with the same order number is not reused', async () => {
    const old = bill()
    const { paymentId } = await btcpay.createCheckout(old)
    await stand.send(paymentId, 500)
    await stand.confirm(paymentId)
    expect((await btcpay.createCheckout(old)).paymentId).not.toBe(paymentId)
    const dearer = bill()
    const first = await btcpay.createCheckout(dearer)
    const other = await btcpay.createCheckout({ ...dearer, amountCents: 700 })
    expect(other.paymentId).not.toBe(first.paymentId)
  })

  test('offers its payment methods to our page', async () => {
    const id = await opened()
    expect(await btcpay.methods(id)).toEqual([
      {
        id: 'BTC-CHAIN',
        name: 'Bitcoin',
        destination: `bc1q${id}`,
        paymentLink: `bitcoin:bc1q${id}`,
        due: '0.00010000 BTC',
      },
      {
        id: 'BTC-LN',
        name: 'Bitcoin Lightning',
        destination: `lnbc${id}`,
        paymentLink: `lightning:lnbc${id}`,
        due: '10000 sats',
      },
    ])
  })
})

describe('the state of a BTCPay payment', () => {
  const facts = (state: string, receivedCents = 0, seenCents = receivedCents) => ({
    state,
    receivedCents,
    refundedCents: 0,
    seenCents,
  })

  test('moves from nothing to seen to settled', async () => {
    const id = await opened()
    expect(await fetchState(id)).toEqual(facts('pending'))
    await stand.send(id, 500)
    expect(await fetchState(id)).toEqual(facts('confirming', 0, 500))
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('paid', 500))
  })

  test('counts an overpayment in full', async () => {
    const id = await opened()
    await stand.send(id, 800)
    expect(await fetchState(id)).toEqual(facts('confirming', 0, 800))
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('paid', 800))
  })

  test('adds up two parts, and counts nothing before they are complete', async () => {
    const id = await opened()
    await stand.send(id, 300)
    expect(await fetchState(id)).toEqual(facts('confirming', 0, 300))
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('pending', 0, 300))
    await stand.send(id, 200, 'BTC-LN')
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('paid', 500))
  })

  test('counts too little or too late at what it is worth', async () => {
    const id = await opened()
    await stand.send(id, 123)
    await stand.expire(id)
    expect(await fetchState(id)).toEqual(facts('expired', 0, 123))
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('expired', 123))
    await stand.send(id, 500)
    expect(await fetchState(id)).toEqual(facts('expired', 123, 623))
    await stand.confirm(id)
    expect(await fetchState(id)).toEqual(facts('expired', 623))
  })

  test('does not count double-spent coins', async () => {
    const id = await opened()
    await stand.send(id, 500)
    await stand.doubleSpend(id)
    expect(await fetchState(id)).toEqual(facts('failed'))
  })

  test('follows what the operator marks by hand', async () => {
    const settled = await opened()
    await stand.mark(settled, 'Settled')
    expect(await fetchState(settled)).toEqual(facts('paid', 500))
    const invalid = await opened()
    await stand.mark(invalid, 'Invalid')
    expect(await fetchState(invalid)).toEqual(facts('failed'))
  })

  test('a refund is a claim for the client to redeem, if the key may create one', async () => {
    const id = await opened()
    await expect(refund(id, 500)).rejects.toThrow(/did not accept/)
    await stand.send(id, 500)
    await stand.confirm(id)
    const { claimUrl } = (await refund(id, 250)) ?? {}
    expect(claimUrl).toMatch(/^https:\/\/btcpay\.example\/pull-payments\//)
    expect(stand.refunds).toEqual([{ invoiceId: id, amount: '2.50' }])
  })
})

describe('a webhook', () => {
  const read = (payload: string, headers: Record<string, string>) =>
    btcpay.verifyWebhook(Buffer.from(payload), headers)

  test('verifies the test vector of the design', async () => {
    const known = btcpayProvider({ ...config, storeId: 's1', webhookSecret: 'test-secret' }, clock)
    const body =
      '{"deliveryId":"d1","webhookId":"w1","originalDeliveryId":"d1","isRedelivery":false,' +
      '"type":"InvoiceSettled","timestamp":1700000000,"storeId":"s1","invoiceId":"i1",' +
      '"metadata":{"orderId":"42"},"manuallyMarked":false,"overPaid":false}'
    const hex = 'e35ed1c683573bdcd0aa3e6565b42be59fadec5ce64b736014c3834afd733403'
    const headers = { 'btcpay-sig': `sha256=${hex}` }
    expect(await known.verifyWebhook(Buffer.from(body), headers)).toEqual({
      eventId: 'd1',
      type: 'InvoiceSettled',
      subject: 'i1',
    })
    expect(await known.verifyWebhook(Buffer.from(`${body} `), headers)).toBeUndefined()
  })

  test('has the same id when delivered again, and is ignored if it is of another store', async () => {
    const id = await opened()
    await stand.send(id, 500)
    const { payload, headers } = stand.reports.at(-1) ?? { payload: '', headers: {} }
    const first = await read(payload, headers)
    expect(first).toMatchObject({ type: 'InvoiceProcessing', subject: id })
    const again = stand.redelivered(payload)
    expect(again.payload).not.toBe(payload)
    expect(await read(again.payload, again.headers)).toEqual(first)
    const elsewhere = payload.replace('"store1"', '"store2"')
    expect(await read(elsewhere, stand.sign(elsewhere))).not.toHaveProperty('subject')
  })

  test('is rejected unless the signature covers exactly these bytes', async () => {
    const id = await opened()
    await stand.send(id, 500)
    const { payload, headers } = stand.reports.at(-1) ?? { payload: '', headers: {} }
    const signature = headers['btcpay-sig'] ?? ''
    const forged: [string, Record<string, string>][] = [
      [payload, {}],
      [payload, { 'btcpay-sig': '' }],
      [payload, { 'btcpay-sig': signature.toUpperCase() }],
      [payload, { 'btcpay-sig': signature.slice(0, -2) }],
      [payload, { 'btcpay-sig': `sha256=${'0'.repeat(64)}` }],
      [`${payload}\n`, headers],
      ['not even JSON', stand.sign('not even JSON')],
      ['{"type":"InvoiceSettled"}', stand.sign('{"type":"InvoiceSettled"}')],
    ]
    for (const [body, proof] of forged) expect(await read(body, proof)).toBeUndefined()
    expect(await read(payload, headers)).toBeDefined()
  })
})

describe('when BTCPay fails', () => {
  const because = (values: Partial<typeof config>) =>
    btcpayProvider({ ...config, ...values }, clock)

  test('the operator reads what to check', async () => {
    expect(await btcpay.check()).toBe('BTCPay Server answers for the store Stand-in.')
    await expect(because({ apiKey: 'wrong' }).check()).rejects.toThrow(/BTCPAY_API_KEY/)
    await expect(because({ storeId: 'wrong' }).check()).rejects.toThrow(/BTCPAY_STORE_ID/)
    await expect(because({ url: `${stand.url}/elsewhere` }).check()).rejects.toThrow(/BTCPAY/)
    stand.faults.isAway = true
    await expect(btcpay.check()).rejects.toThrow(/BTCPAY_URL/)
  })

  test('a key without the permission refunds nothing, and the error says so', async () => {
    const strict = await startBtcpay({ clock, canRefund: false })
    const poor = because({ url: strict.url })
    const { paymentId } = await poor.createCheckout(bill())
    await strict.send(paymentId, 500)
    await strict.confirm(paymentId)
    const refused = poor.refund?.(paymentId, 500)
    await expect(refused).rejects.toMatchObject({ fault: 'refused' })
    await strict.close()
  })
})
