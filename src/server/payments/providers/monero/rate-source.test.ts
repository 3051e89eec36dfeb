import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { testClock } from '../../../testing/test-app.ts'
import { startMonero } from '../../testing/monero/monero-stand-in.ts'
import { openMoneroTill } from '../../testing/monero/monero-till.ts'
import { startStandIn } from '../../testing/stand-in-server.ts'
import { rateText } from './piconero.ts'
import { rateSource } from './rate-source.ts'

const clock = testClock()
const answer: { status: number; body: unknown } = { status: 200, body: {} }
const source = await startStandIn(() => answer)
afterAll(() => source.close())
const config = { url: source.url, field: ['monero', 'usd'], min: '100', max: '300' }
const give = (usd: unknown, status = 200) =>
  Object.assign(answer, { status, body: { monero: { usd } } })

beforeEach(() => {
  give(150)
  source.faults.isAway = false
})

describe('the rate of a source', () => {
  const rate = async (values: Partial<typeof config> = {}) =>
    rateText(await rateSource({ ...config, ...values }, clock)())

  test.each([
    [158.4, '158.40000000'],
    ['158.401', '158.40100000'],
    [100, '100.00000000'],
    [300, '300.00000000'],
  ])('%s is believed', async (usd, read) => {
    give(usd)
    expect(await rate()).toBe(read)
  })

  test.each([
    ['too low', 99.99, 'below MONERO_RATE_MIN'],
    ['too high', 300.01, 'above MONERO_RATE_MAX'],
    ['nothing', undefined, 'no figure at monero.usd'],
    ['an object', {}, 'no figure at monero.usd'],
    ['no figure', 'soon', 'is no price'],
    ['below zero', -150, 'is no price'],
    ['beyond all', 1e30, 'is no price'],
  ])('that is %s is not believed', async (_, usd, reason) => {
    give(usd)
    await expect(rate()).rejects.toMatchObject({
      fault: 'unreachable',
      reason: expect.stringContaining(reason),
    })
  })

  test('is not read where its address leads to a metadata service, or in the clear', async () => {
    const refusals = [
      ['http://169.254.169.254/latest', 'metadata'],
      ['http://203.0.113.9/rate', 'https://'],
    ] as const
    for (const [url, reason] of refusals) {
      await expect(rate({ url })).rejects.toMatchObject({
        reason: expect.stringContaining(reason),
      })
    }
  })

  test.each([
    ['is away', () => Object.assign(source.faults, { isAway: true }), 'closed the connection'],
    ['fails', () => give(150, 500), 'answered 500'],
    ['is no JSON of that kind', () => Object.assign(answer, { body: 'x' }), 'no figure'],
  ])('whose server %s is none', async (_, break_, reason) => {
    break_()
    await expect(rate()).rejects.toMatchObject({ reason: expect.stringContaining(reason) })
  })

  test('is asked for again after a minute only', async () => {
    const read = rateSource(config, clock)
    await read()
    give(200)
    expect(rateText(await read())).toBe('150.00000000')
    clock.advance(MINUTE_MS)
    expect(rateText(await read())).toBe('200.00000000')
  })
})

describe('a payment at a rate that moves', async () => {
  const chain = await startMonero({ clock })
  afterAll(() => chain.close())
  const { MONERO_RATE: _, ...wallet } = chain.env
  const env = {
    ...wallet,
    MONERO_RATE_URL: source.url,
    MONERO_RATE_FIELD: 'monero.usd',
    MONERO_RATE_MIN: '100',
    MONERO_RATE_MAX: '300',
  }
  give(150)
  const till = await openMoneroTill({ env }, { clock })
  const { t, bought, hand } = till

  const at = (usd: number) => {
    give(usd)
    clock.advance(MINUTE_MS)
  }

  test('is held for half an hour', async () => {
    const { address, due, heard } = await bought('purchase')
    at(110)
    await chain.pay(address, due)
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid', received: '5.00' }])
  })

  test.each([
    ['less', 120, '4.00'],
    ['no more', 290, '5.00'],
  ])('is worth %s than it was when it comes too late', async (_word, usd, worth) => {
    const { address, due, heard, credit } = await bought('purchase')
    clock.advance(60 * MINUTE_MS)
    await hand.lapse()
    at(usd)
    await chain.pay(address, due)
    await heard()
    // Only the rate at its first sight counts.
    at(300)
    await chain.mine(1)
    await heard()
    expect(await credit()).toBe(worth)
  })

  test('is not offered without a rate within the bounds, and offered again with one', async () => {
    at(99)
    const { client, token } = await till.tenant()
    const renew = () => t.as(client).attempt(api.client.renew, { params: { id: token.id } })
    expect(await renew()).toMatchObject({ status: 503 })
    expect((await t.visitor.call(api.paymentMethods.list)).map(({ id }) => id)).toEqual(['credit'])
    const admin = await t.make.admin()
    const tested = await t.as(admin).attempt(api.payments.test, { body: { provider: 'monero' } })
    expect(tested).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('below MONERO_RATE_MIN') },
    })
    at(150)
    await hand.poll()
    expect(await renew()).toMatchObject({ status: 201 })
  })
})
