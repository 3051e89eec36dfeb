import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { testClock } from '../../testing/test-app.ts'
import { ProviderError } from '../port/provider-errors.ts'
import { billsBy } from '../testing/bills.ts'
import { startStripe } from '../testing/stripe-stand-in.ts'
import { stripeProvider } from './stripe.ts'

const clock = testClock()
const stand = await startStripe({ clock })
afterAll(() => stand.close())
const config = {
  secretKey: stand.env.STRIPE_SECRET_KEY,
  webhookSecret: stand.env.STRIPE_WEBHOOK_SECRET,
  apiUrl: stand.url,
}
const stripe = stripeProvider(config, clock)
const { fetchState, refund } = stripe
if (!fetchState || !refund) throw new Error('Stripe can do both')

const bill = billsBy(clock)

beforeEach(() => {
  Object.assign(stand.faults, { isAway: false, loseAnswers: 0 })
  stand.asked.length = 0
})

describe('a checkout', () => {
  test('states the amount, the order and the deadline', async () => {
    const { paymentId, url, expiresAt } = await stripe.createCheckout(bill({ orderId: 4711 }))
    expect(url).toContain(paymentId)
    expect(expiresAt).toEqual(new Date(clock.now().getTime() + 35 * 60_000))
    const form = new URLSearchParams(stand.asked[0]?.body)
    expect(Object.fromEntries(form)).toMatchObject({
      mode: 'payment',
      client_reference_id: '4711',
      'metadata[orderId]': '4711',
      'line_items[0][price_data][unit_amount]': '500',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][quantity]': '1',
    })
    const { headers } = stand.asked[0] ?? {}
    expect(headers?.['idempotency-key']).toMatch(/^order-4711-1-\d+$/)
    expect(headers?.['stripe-version']).toBe('2026-10-28.endive')
    expect(headers).not.toHaveProperty('x-stripe-client-telemetry')
  })

  test('of the same bill is the same payment, even if the answer was lost', async () => {
    const same = bill()
    stand.faults.loseAnswers = 1
    const first = await stripe.createCheckout(same)
    expect(stand.asked).toHaveLength(2)
    clock.advance(2 * 60_000)
    expect(await stripe.createCheckout(same)).toEqual(first)
    const next = await stripe.createCheckout({ ...same, attempt: 2 })
    expect(next.paymentId).not.toBe(first.paymentId)
  })

  test.each([
    ['long past', -HOUR_MS],
    ['in a minute', 60_000],
    ['in a week', 7 * DAY_MS],
  ])('whose bill ends %s expires at a time that Stripe accepts', async (_, ms) => {
    const ends = new Date(clock.now().getTime() + ms)
    const { expiresAt } = await stripe.createCheckout(bill({ expiresAt: ends }))
    const minutes = ((expiresAt?.getTime() ?? 0) - clock.now().getTime()) / 60_000
    expect(minutes).toBeGreaterThanOrEqual(30)
    expect(minutes).toBeLessThanOrEqual(24 * 60)
  })
})

describe('the state of a Stripe payment', () => {
  const opened = async () => (await stripe.createCheckout(bill())).paymentId
  const none = { receivedCents: 0, refundedCents: 0 }

  test('moves from open to paid to partly and wholly refunded', async () => {
    const id = await opened()
    expect(await fetchState(id)).toEqual({ state: 'pending', ...none })
    await stand.pay(id)
    const paid = { state: 'paid', receivedCents: 500, refundedCents: 0, disputes: [] }
    expect(await fetchState(id)).toEqual(paid)
    await stand.sendBack(id, 200)
    expect(await fetchState(id)).toEqual({ ...paid, refundedCents: 200 })
    await stand.sendBack(id, 300)
    expect(await fetchState(id)).toEqual({ ...paid, state: 'refunded', refundedCents: 500 })
  })

  test('counts a debit only when the bank confirms it', async () => {
    const good = await opened()
    await stand.debit(good)
    expect(await fetchState(good)).toEqual({ state: 'confirming', ...none })
    await stand.clear(good)
    expect(await fetchState(good)).toMatchObject({ state: 'paid', receivedCents: 500 })
    const bad = await opened()
    await stand.debit(bad)
    await stand.bounce(bad)
    expect(await fetchState(bad)).toEqual({ state: 'failed', ...none })
  })

  test('is expired once its page has expired', async () => {
    const id = await opened()
    await stand.expire(id)
    expect(await fetchState(id)).toEqual({ state: 'expired', ...none })
  })

  test('tells a dispute from a refund, and knows the state of the dispute', async () => {
    const id = await opened()
    await stand.pay(id)
    await stand.dispute(id)
    const dispute = (state: string) => [{ id: expect.any(String), cents: 500, state }]
    const paid = { state: 'paid', refundedCents: 0 }
    expect(await fetchState(id)).toMatchObject({ ...paid, disputes: dispute('open') })
    await stand.loseDisputes(id)
    expect(await fetchState(id)).toMatchObject({ ...paid, disputes: dispute('lost') })
    await stand.winDisputes(id)
    expect(await fetchState(id)).toMatchObject({ ...paid, disputes: dispute('won') })
  })

  test('a refund is sent once, even if the answer was lost', async () => {
    const id = await opened()
    await stand.pay(id)
    stand.faults.loseAnswers = 1
    await refund(id, 200)
    await refund(id, 200)
    expect(await fetchState(id)).toMatchObject({ refundedCents: 200 })
    await expect(refund(id, 400)).rejects.toThrow(/did not accept/)
    await expect(refund(await opened(), 100)).rejects.toThrow(/did not accept/)
  })
})

describe('a webhook', () => {
  const read = (payload: string, headers: Record<string, string>) =>
    stripe.verifyWebhook(Buffer.from(payload), headers)

  test('verifies the test vector of the design', async () => {
    const then = testClock(new Date(1_700_000_000_000))
    const known = stripeProvider({ ...config, webhookSecret: 'whsec_test' }, then)
    const body = Buffer.from('{"id":"evt_1","object":"event","type":"checkout.session.completed"}')
    const v1 = '670e223f19f12fb09ef0441261722546140dc296175e11939853a461c6642659'
    const headers = { 'stripe-signature': `t=1700000000,v1=${v1}` }
    const report = { eventId: 'evt_1', type: 'checkout.session.completed' }
    expect(await known.verifyWebhook(body, headers)).toEqual(report)
    then.advance(301_000)
    expect(await known.verifyWebhook(body, headers)).toBeUndefined()
    then.advance(-602_000)
    expect(await known.verifyWebhook(body, headers)).toBeUndefined()
  })

  test('names the payment it is about, also by its charge', async () => {
    const { paymentId } = await stripe.createCheckout(bill())
    const paid = await stand.pay(paymentId)
    const about = await read(paid.payload, paid.headers)
    expect(about).toMatchObject({ type: 'checkout.session.completed', subject: paymentId })
    const back = await stand.sendBack(paymentId, 100)
    const charge = await read(back.payload, back.headers)
    expect(charge?.subject).toMatch(/^pi_/)
    expect(await stripe.paymentOf?.(charge?.subject ?? '')).toBe(paymentId)
    expect(await stripe.paymentOf?.('pi_of_somebody_else')).toBeUndefined()
  })

  test('is rejected unless the signature covers exactly these bytes', async () => {
    const { paymentId } = await stripe.createCheckout(bill())
    const { payload, headers } = await stand.pay(paymentId)
    const signature = headers['stripe-signature'] ?? ''
    const forged: [string, Record<string, string>][] = [
      [payload, {}],
      [payload, { 'stripe-signature': '' }],
      [payload, { 'stripe-signature': 'nonsense' }],
      [payload, { 'stripe-signature': signature.replace('v1=', 'v0=') }],
      [payload, { 'stripe-signature': signature.replace(/t=\d+/, 't=1700000001') }],
      [`${payload} `, headers],
      ['not even JSON', stand.sign('not even JSON')],
    ]
    for (const [body, proof] of forged) expect(await read(body, proof)).toBeUndefined()
    expect(await read(payload, headers)).toBeDefined()
  })
})

describe('when Stripe fails', () => {
  test('the error is a readable sentence and never contains the key', async () => {
    const wrong = stripeProvider({ ...config, secretKey: 'sk_live_canary' }, clock)
    const refused = await wrong.createCheckout(bill()).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProviderError)
    const { message, cause } = refused as ProviderError
    expect(message).toBe('The payment provider does not let us in. Please tell the operator.')
    expect(`${message}${String(cause)}`).not.toContain('canary')
    await expect(wrong.check()).rejects.toThrow('Check STRIPE_SECRET_KEY.')
    await expect(fetchState('cs_unknown')).rejects.toMatchObject({ fault: 'missing' })
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['nothing of a checkout', {}],
    ['text for money', { status: 'complete', payment_status: 'paid', amount_total: '500' }],
    ['less than nothing', { status: 'complete', payment_status: 'paid', amount_total: -5 }],
  ])('an answer that is %s is not accepted as the state of a payment', async (_, body) => {
    const { paymentId } = await stripe.createCheckout(bill())
    stand.faults.nonsense = { body }
    const asked = await fetchState(paymentId).catch((error: unknown) => error)
    stand.faults.nonsense = undefined
    expect(asked).toSatisfy(
      (answer) => answer instanceof ProviderError || Object(answer).receivedCents === 0,
    )
    expect(await fetchState(paymentId)).toMatchObject({ receivedCents: 0 })
  })

  test('an outage is PAYMENT_UNAVAILABLE, and later calls succeed', async () => {
    stand.faults.isAway = true
    const failed = stripe.createCheckout(bill())
    await expect(failed).rejects.toMatchObject({
      code: 'PAYMENT_UNAVAILABLE',
      fault: 'unreachable',
    })
    await expect(stripe.check()).rejects.toThrow(/does not answer/)
    stand.faults.isAway = false
    expect(await stripe.check()).toBe('Stripe answers, in its test mode.')
  })
})
