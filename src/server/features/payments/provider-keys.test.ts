import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog, settings } from '../../db/schema/accounts.ts'
import { moneroPayments } from '../../db/schema/ledger.ts'
import { createParts } from '../../parts.ts'
import { startBtcpay } from '../../payments/testing/btcpay-stand-in.ts'
import { startMonero } from '../../payments/testing/monero/monero-stand-in.ts'
import { openSetupTill } from '../../payments/testing/setup-till.ts'
import { startStripe } from '../../payments/testing/stripe-stand-in.ts'
import { testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const clock = testClock()
const stripe = await startStripe({ clock })
const btcpay = await startBtcpay({ clock })
const monero = await startMonero({ clock })
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
  await monero.close()
})
beforeEach(() => {
  stripe.faults.refusesKey = false
  btcpay.faults.isAway = false
})

describe.each(EACH_DATABASE)('providers entered on the page, on %s', async (database) => {
  const till = await openSetupTill({ database, clock })
  const { t, hand, owner, offered, enter, renew, setup } = till

  test('there is test mode at first, and no provider is set up', async () => {
    expect(await offered()).toEqual(['sandbox', 'credit'])
    expect(await owner().call(api.providerKeys.list)).toMatchObject([
      { name: 'stripe', setBy: null, isOffered: false },
      { name: 'btcpay', setBy: null },
      { name: 'monero', setBy: null },
      { name: 'manual', setBy: null, fields: [] },
    ])
  })

  test('keys that the provider refuses are not stored, and its answer is said', async () => {
    stripe.faults.refusesKey = true
    const answer = await enter(stripe)
    expect(answer.status).toBe(503)
    expect(answer.body.message).toBe('Stripe refuses the key. Check “Secret key”.')
    expect(await setup('stripe')).toMatchObject({ setBy: null, isOffered: false })
    expect(await offered()).toEqual(['sandbox', 'credit'])
  })

  test.each([
    [btcpay, { BTCPAY_URL: 'ftp://btcpay.example' }, '“Address” must be an http(s) address'],
    [btcpay, { BTCPAY_STORE_ID: '' }, '“Store id” is required'],
    [btcpay, { BTCPAY_PAYMENT_METHODS: 'a b' }, '“Payment methods” must be ids'],
    [monero, { MONERO_WALLET_LOGIN: 'none' }, '“Login” must be user:password'],
    [monero, { MONERO_RATE: '' }, '“Dollars for one Monero” or “Address of the rate” is required'],
    [monero, { MONERO_RATE_URL: 'http://rate.example' }, 'are both set: keep one'],
  ])('%# what the environment would refuse is refused: %j', async (stand, wrong, sentence) => {
    const answer = await enter(stand, wrong)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(sentence)
  })

  test.each([
    [stripe, 'STRIPE_API_URL'],
    [btcpay, 'BTCPAY_URL'],
  ])('%# a key does not follow a redirect of the address that was entered', async (stand, name) => {
    const redirect = createServer((_, reply) => reply.writeHead(307, { location: stand.url }).end())
    await new Promise<void>((done) => redirect.listen(0, '127.0.0.1', done))
    const { port } = redirect.address() as AddressInfo
    const before = stand.asked.length
    expect((await enter(stand, { [name]: `http://127.0.0.1:${port}` })).status).toBe(503)
    expect(stand.asked.length).toBe(before)
    redirect.close()
  })

  const ways = [
    {
      stand: stripe,
      way: 'card',
      async pay(paymentId: string) {
        await till.deliver(await stripe.pay(paymentId), 'stripe')
      },
    },
    {
      stand: btcpay,
      way: 'bitcoin',
      async pay(paymentId: string) {
        await btcpay.send(paymentId, 500)
        await btcpay.confirm(paymentId)
        for (const report of btcpay.reports) await till.deliver(report, 'btcpay')
      },
    },
    {
      stand: monero,
      way: 'monero',
      async pay(address: string) {
        const rows = await t.db.select().from(moneroPayments)
        const due = rows.find((row) => row.address === address)?.duePico ?? '0'
        await monero.pay(address, BigInt(due))
        await monero.mine(1)
        await hand.poll()
      },
    },
  ]

  test.each(ways)(
    '$stand.env.PAYMENT_PROVIDER is entered and paid through at once, in every process',
    async ({ stand, way, pay }) => {
      // It has read the providers as they were before.
      const elsewhere = createParts(t.deps)
      await elsewhere.ways.offered(t.db)
      const answer = await enter(stand)
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        message: expect.stringContaining('answers'),
        provider: { setBy: 'settings', isOffered: true, problem: null, savedAt: expect.anything() },
      })
      expect(await offered()).toContain(way)
      expect(await offered()).not.toContain('sandbox')
      expect((await elsewhere.ways.offered(t.db)).map(({ id }) => id)).toContain(way)
      const { order, payment } = await renew(way)
      await pay(payment.providerPaymentId)
      await hand.work()
      expect((await till.order(order.id)).status).toBe('active')
    },
  )

  test('a visitor reads the new ways on the first page', async () => {
    const { paymentWays, paymentProvider } = await t.visitor.call(api.system.settings)
    expect(paymentWays).toEqual(['card', 'Bitcoin', 'Lightning', 'Monero'])
    expect(paymentProvider).toBe('stripe')
  })

  test('servers can renew by card with entered keys', async () => {
    const { recurring } = await createParts(t.deps).providers.now(t.db)
    expect(recurring).toBeDefined()
  })

  test('no answer, no entry of the log and no row shows a secret; who entered it is said', async () => {
    const shown = JSON.stringify([
      await owner().call(api.providerKeys.list),
      await owner().call(api.payments.status),
      await owner().call(api.audit.list),
      await t.db.select().from(auditLog),
      await t.db.select().from(settings),
    ])
    for (const [name, value] of Object.entries({ ...stripe.env, ...btcpay.env, ...monero.env })) {
      if (!/KEY|SECRET|LOGIN/.test(name)) continue
      expect(shown.includes(value), name).toBe(false)
    }
    expect(shown).toContain('payments.keys')
    expect(shown).toContain('STRIPE_SECRET_KEY')
    const { savedBy, fields } = await setup('btcpay')
    expect(savedBy).toContain('@')
    expect(fields.find(({ name }) => name === 'BTCPAY_URL')?.value).toBe(btcpay.url)
    expect(fields.find(({ name }) => name === 'BTCPAY_API_KEY')).toEqual({
      name: 'BTCPAY_API_KEY',
      isSet: true,
      value: null,
    })
  })

  test('an empty secret keeps the stored one, but only for the same address', async () => {
    const { BTCPAY_URL = '', BTCPAY_STORE_ID = '' } = btcpay.env
    const empty = { BTCPAY_API_KEY: '', BTCPAY_WEBHOOK_SECRET: '' }
    const methods = { BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN' }
    expect((await enter(btcpay, { ...empty, ...methods })).status).toBe(200)
    expect(await offered()).toContain('lightning')
    const before = stripe.asked.length
    const fields = { ...empty, BTCPAY_STORE_ID, BTCPAY_URL: stripe.url }
    const answer = await enter(btcpay, fields)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('goes only where it was entered for')
    expect(stripe.asked.length).toBe(before)
    expect((await enter(btcpay, { BTCPAY_URL })).status).toBe(200)
  })

  test('Monero is taken directly or by BTCPay Server, not by both', async () => {
    const answer = await enter(btcpay, { BTCPAY_PAYMENT_METHODS: 'BTC-LN,XMR' })
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('Keep one')
  })

  test('direct payment is turned on and off, and shows the instructions', async () => {
    await till.turn('manual', true)
    expect(await offered()).toContain('manual')
    const { ways: all } = await owner().call(api.payments.status)
    const body = {
      ways: all.map(({ id }) => ({ id, name: null, isHidden: false })),
      instructions: 'Cash, in an envelope.',
    }
    await owner().call(api.payments.arrange, { body })
    const { client, order } = await renew('manual')
    const { checkout } = await t.as(client).call(api.billing.details, { params: { id: order.id } })
    expect(checkout?.instructions).toBe('Cash, in an envelope.')
    await till.turn('manual', false)
    expect(await offered()).not.toContain('manual')
  })
})

describe('the environment', () => {
  test('wins: what it sets is neither shown nor changed on the page', async () => {
    const till = await openSetupTill({ clock, env: { ...stripe.env } })
    const { enter, remove, turn, setup } = till
    expect(await setup('stripe')).toMatchObject({
      setBy: 'environment',
      isListed: true,
      isOffered: true,
      variables: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'],
    })
    const answer = await enter(stripe)
    expect(answer.status).toBe(409)
    expect(answer.body.message).toContain('The environment sets STRIPE_SECRET_KEY')
    expect((await remove('stripe')).status).toBe(409)
    const off = await turn('stripe', false)
    expect(off.body).toMatchObject({ message: expect.stringContaining('PAYMENT_PROVIDER lists') })
    expect((await enter(btcpay)).status).toBe(200)
    expect(await till.offered()).toEqual(['card', 'bitcoin', 'credit'])
  })

  test('that sets half of the keys lends none of them to an address of the page', async () => {
    const { STRIPE_SECRET_KEY = '' } = stripe.env
    const till = await openSetupTill({ clock, env: { STRIPE_SECRET_KEY } })
    expect((await till.enter(btcpay)).status).toBe(200)
    const answer = await till.enter(stripe, { STRIPE_API_URL: btcpay.url })
    expect(answer.status).toBe(409)
    expect((await till.turn('stripe', true)).body).toMatchObject({
      message: 'Enter the keys first.',
    })
  })

  test('that gives complete keys and lists another provider lets the page turn them on', async () => {
    const env = { ...stripe.env, PAYMENT_PROVIDER: 'sandbox' }
    const till = await openSetupTill({ clock, env })
    expect(await till.offered()).toEqual(['sandbox', 'credit'])
    expect((await till.turn('stripe', true)).status).toBe(200)
    expect(await till.offered()).toEqual(['card', 'credit'])
  })

  test('of a demo lets no provider in that takes real money', async () => {
    const till = await openSetupTill({ clock, env: { DEMO: '1' } })
    const answer = await till.enter(stripe)
    expect(answer.status).toBe(409)
    expect(answer.body.message).toContain('DEMO=1 shows invented servers')
    expect(await till.offered()).toEqual(['sandbox', 'credit'])
  })
})
