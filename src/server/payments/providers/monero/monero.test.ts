import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { statement } from '../../../ledger/statement.ts'
import { testClock } from '../../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../../testing/test-db.ts'
import { startMonero } from '../../testing/monero/monero-stand-in.ts'
import { openMoneroTill } from '../../testing/monero/monero-till.ts'

describe.each(BOTH_DATABASES)('Monero on %s', async (database) => {
  const clock = testClock()
  const chain = await startMonero({ clock })
  afterAll(() => chain.close())
  const till = await openMoneroTill(chain, { database, clock })
  const { t, bought, hand } = till
  const admin = await t.make.admin()

  beforeEach(async () => {
    Object.assign(chain.faults, { isAway: false, isBusy: false })
    Object.assign(chain.own, { hasNoDaemon: false, canSpend: false, behind: 0, loses: undefined })
    await hand.poll()
  })

  test('a payment is waited for, seen, confirmed and settled', async () => {
    const { address, due, heard, look, index } = await bought('purchase')
    expect((await look()).checkout).toMatchObject({
      state: 'pending',
      way: null,
      progress: null,
      methods: [
        {
          name: 'Monero',
          destination: address,
          paymentLink: `monero:${address}?tx_amount=0.033334`,
          due: '0.033334 XMR',
        },
      ],
    })
    expect(index).toBeGreaterThan(0)
    await chain.pay(address, due)
    expect((await heard()).checkout).toMatchObject({
      state: 'confirming',
      seen: '5.00',
      left: '0.00',
      progress: { confirmations: 0, needed: 1 },
    })
    await chain.mine(1)
    expect(await heard()).toMatchObject({
      checkout: null,
      payments: [{ status: 'paid', received: '5.00' }],
    })
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('two parts are added up, and the page asks for the rest', async () => {
    const { address, due, heard, credit } = await bought('purchase')
    await chain.pay(address, 20_000_000_000n)
    expect((await heard()).checkout).toMatchObject({ state: 'confirming', seen: '3.00' })
    await chain.mine(3)
    const part = await heard()
    expect(part.checkout).toMatchObject({ state: 'pending', seen: '3.00', left: '2.00' })
    expect(part.checkout?.methods).toMatchObject([{ due: '0.013334 XMR', destination: address }])
    await chain.pay(address, due - 20_000_000_000n)
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid', received: '5.00' }])
    expect(await credit()).toBe('0.00')
  })

  test('what is too much, and a second payment to the same address, is credit', async () => {
    const { address, due, heard, credit, order } = await bought('renewal')
    await chain.pay(address, due + 20_000_000_000n)
    await chain.mine(1)
    await heard()
    expect(await credit()).toBe('3.00')
    clock.advance(26 * HOUR_MS)
    await chain.mine(5)
    await chain.pay(address, due)
    await hand.poll()
    expect(await credit()).toBe('3.00')
    await chain.mine(1)
    await hand.poll()
    expect(await till.payments(order.id)).toMatchObject([{ status: 'paid', receivedCents: 1300 }])
    expect(await credit()).toBe('8.00')
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('what comes too late is credit, and holds no reservation', async () => {
    const { address, due, heard, credit } = await bought('purchase')
    clock.advance(40 * MINUTE_MS)
    await hand.poll()
    await hand.lapse()
    await chain.pay(address, due)
    expect(await heard()).toMatchObject({
      order: { status: 'cancelled' },
      payments: [{ status: 'expired', received: '0.00', seen: '5.00' }],
    })
    await chain.mine(1)
    await heard()
    expect(await credit()).toBe('5.00')
  })

  test('what was seen in time keeps the reservation until it is final', async () => {
    const { address, due, heard, look } = await bought('purchase')
    clock.advance(29 * MINUTE_MS)
    await chain.pay(address, due)
    await heard()
    clock.advance(HOUR_MS)
    await hand.lapse()
    expect((await look()).order.status).toBe('pending')
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid', received: '5.00' }])
  })

  test('too little is credit once the time is over', async () => {
    const { address, heard, credit } = await bought('purchase')
    await chain.pay(address, 20_000_000_000n)
    await chain.mine(1)
    await heard()
    clock.advance(31 * MINUTE_MS)
    await heard()
    await hand.lapse()
    expect(await credit()).toBe('3.00')
  })

  test('coins that are locked for a time are not seen', async () => {
    const { address, due, heard } = await bought('renewal')
    await chain.pay(address, due, { unlockTime: 5000 })
    await chain.mine(20)
    expect((await heard()).checkout).toMatchObject({ state: 'pending', seen: '0.00', left: '5.00' })
  })

  test('coins that are also sent elsewhere no longer count', async () => {
    const { address, due, heard } = await bought('renewal')
    await chain.pay(address, due)
    expect((await heard()).checkout).toMatchObject({ state: 'confirming', left: '0.00' })
    chain.doubleSpend()
    expect((await heard()).checkout).toMatchObject({
      state: 'pending',
      left: '5.00',
      progress: null,
    })
    await chain.emptyPool()
  })

  test('a re-organised chain takes back what was not final', async () => {
    const { address, due, heard, row } = await bought('renewal')
    await chain.pay(address, due * 10n)
    await chain.mine(2)
    expect((await heard()).checkout?.progress).toEqual({ confirmations: 2, needed: 3 })
    await chain.popBlocks(2)
    await chain.emptyPool()
    await chain.mine(3)
    expect((await heard()).checkout).toMatchObject({ state: 'pending', seen: '0.00' })
    expect(await row()).toMatchObject({ seenPico: '0', finalPico: '0', confirmations: null })
  })

  test('a bill asked for twice at once, or whose answer was lost, is one address', async () => {
    const { client, token } = await till.tenant()
    chain.own.loses = 'create_address'
    const call = { params: { id: token.id }, body: { paymentMethod: 'monero' } }
    const lost = await t.as(client).attempt(api.client.renew, call)
    expect(lost.status).toBe(503)
    await t.as(admin).call(api.payments.test, { body: { provider: 'monero' } })
    const presses = Array.from({ length: 12 }, () => t.as(client).call(api.client.renew, call))
    const made = await Promise.all(presses)
    const [first] = made
    expect(await till.payments(first?.order.id ?? 0)).toHaveLength(1)
  })

  test('every payment has an index of its own, also after the wallet was restored', async () => {
    const before = await Promise.all([bought('renewal'), bought('renewal'), bought('renewal')])
    chain.restore()
    const afterwards = [await bought('renewal'), await bought('renewal')]
    const indices = [...before, ...afterwards].map(({ index }) => index)
    expect(new Set(indices).size).toBe(indices.length)
    expect(afterwards[0]?.index).toBeGreaterThan(Math.max(...before.map(({ index }) => index)))
  })

  test('a restored wallet makes its addresses again before it is asked for money', async () => {
    const { address, due, heard, index } = await bought('renewal')
    chain.restore()
    await chain.pay(address, due)
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid' }])
    expect(chain.made()).toBe(index)
  })

  test('a wallet of other keys settles nothing, and its addresses are its own', async () => {
    const old = await bought('renewal')
    chain.openOther()
    const other = await bought('renewal')
    await chain.pay(other.address, other.due)
    await chain.mine(1)
    expect((await other.heard()).payments).toMatchObject([{ status: 'paid' }])
    expect((await old.heard()).checkout).toMatchObject({ state: 'pending', seen: '0.00' })
    chain.openOther('operator')
  })

  test.each([
    ['away', () => Object.assign(chain.faults, { isAway: true })],
    ['behind the chain', () => Object.assign(chain.own, { behind: 60 })],
    ['one that can spend', () => Object.assign(chain.own, { canSpend: true })],
  ])('a wallet that is %s is an outage, which ends by itself', async (_, break_) => {
    const { look, row } = await bought('renewal')
    await chain.mine(30)
    await bought('renewal')
    break_()
    const { client, token } = await till.tenant()
    const call = { params: { id: token.id } }
    expect(await t.as(client).attempt(api.client.renew, call)).toMatchObject({ status: 503 })
    expect(await t.visitor.call(api.paymentMethods.outages)).toMatchObject([
      { id: 'monero', message: 'Monero payments are not possible right now.' },
    ])
    // What was offered before is still on its page.
    expect((await look()).checkout?.methods).toHaveLength(1)
    expect((await row()).confirmations).toBeNull()
    Object.assign(chain.faults, { isAway: false })
    Object.assign(chain.own, { behind: 0, canSpend: false })
    await hand.poll()
    expect(await t.visitor.call(api.paymentMethods.outages)).toEqual([])
  })

  test('a wallet that reads no block for hours is behind the chain', async () => {
    await bought('renewal')
    clock.advance(5 * HOUR_MS)
    const test = () => t.as(admin).attempt(api.payments.test, { body: { provider: 'monero' } })
    expect((await test()).body?.message).toContain('is behind the chain')
    await chain.mine(1)
    expect((await test()).body?.message).toMatch(
      /^The view-only wallet answers, at block \d+\. One Monero is \$150\.00 now\.$/,
    )
  })

  test('the operator reads how far the own wallet has to look ahead', async () => {
    chain.openOther('a third')
    const { address, due, heard, index } = await bought('renewal')
    const lookAhead = async () => {
      const { providers } = await t.as(admin).call(api.payments.status)
      return providers.find(({ name }) => name === 'monero')
    }
    expect(await lookAhead()).toMatchObject({
      webhookUrl: null,
      lookAhead: { needed: 200, handedOut: index },
    })
    // As if another program used the wallet, or many bills were never paid.
    while (chain.made() < index + 400) await bought('renewal').then(() => chain.skip(100))
    const last = await bought('renewal')
    expect((await lookAhead())?.lookAhead).toMatchObject({ handedOut: last.index })
    expect((await lookAhead())?.lookAhead?.needed).toBeGreaterThan(400)
    await chain.pay(address, due)
    await chain.mine(1)
    await heard()
    expect((await lookAhead())?.lookAhead?.needed).toBeGreaterThanOrEqual(last.index - index + 1)
  })
})
