import { count, eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { idempotencyKeys } from '../db/schema/idempotency.ts'
import { orders, packages } from '../db/schema/sales.ts'
import { startBtcpay } from '../payments/testing/btcpay-stand-in.ts'
import { openTill } from '../payments/testing/till.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { createIdempotency } from './idempotency.ts'
import { endLeases, press } from './testing/press.ts'

const plan = { name: 'Small', cpu: '1 CPU', ram: '2 GB RAM', storage: '40 GB SSD', price: 5.35 }

describe.each(BOTH_DATABASES)('an idempotency key, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock })
  const boss = await t.make.admin()
  const admin = t.as(boss)
  const make = (key: string, body: object = plan, caller = admin) =>
    press(caller, api.packages.create, { body: { ...plan, ...body } }, key)
  const made = async () => (await t.db.select({ of: count() }).from(packages))[0]?.of ?? 0
  const kept = () => t.db.select().from(idempotencyKeys)

  test('gives twenty concurrent calls one effect, and the others wait or get the same answer', async () => {
    const before = await made()
    const answers = await Promise.all(Array.from({ length: 20 }, () => make('crowd')))
    expect(await made()).toBe(before + 1)
    const told = answers.filter(({ status }) => status === 201)
    expect(new Set(told.map(({ text }) => text)).size).toBe(1)
    const rest = answers.filter(({ status }) => status !== 201)
    for (const answer of rest) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'IN_FLIGHT' }, retryAfter: '1' })
    }
    expect((await make('crowd')).text).toBe(told[0]?.text)
  })

  test('is refused for another body, route or parameter, and has no effect there', async () => {
    await make('reused')
    const before = await made()
    const refusal = { status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } }
    expect(await make('reused', { price: 6 })).toMatchObject(refusal)
    const elsewhere = { body: { name: 'Slackware' } }
    expect(await press(admin, api.operatingSystems.create, elsewhere, 'reused')).toMatchObject(
      refusal,
    )
    const client = await t.make.client()
    const reset = (id: number) =>
      press(admin, api.users.resetPassword, { params: { id } }, 'reset one')
    expect((await reset(client.id)).status).toBe(200)
    expect(await reset((await t.make.client()).id)).toMatchObject(refusal)
    expect(await made()).toBe(before)
  })

  test('ignores the order of fields and the white space of its body', async () => {
    const first = await make('order of fields')
    const { name, ...rest } = plan
    const body = { ...rest, name }
    const again = await press(admin, api.packages.create, { body }, 'order of fields')
    expect(again).toEqual({ ...first, isReplay: true })
  })

  test('belongs to one account, and another one may use the same', async () => {
    const before = await made()
    const other = t.as(await t.make.admin())
    const mine = await make('shared')
    const theirs = await make('shared', plan, other)
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(await made()).toBe(before + 2)
  })

  test.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['not ASCII', 'kéy'],
  ])('that is %s is refused', async (_, key) => {
    const before = await made()
    expect(await make(key)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(await made()).toBe(before)
  })

  test('of 255 characters, including spaces, is accepted', async () => {
    expect((await make(`a ${'k'.repeat(253)}`)).status).toBe(201)
  })

  test('of a call that was refused may be used again', async () => {
    const name = 'Twice'
    await admin.call(api.operatingSystems.create, { body: { name } })
    const ask = () => press(admin, api.operatingSystems.create, { body: { name } }, 'refused')
    expect((await ask()).status).toBe(409)
    expect((await kept()).filter(({ key }) => key === 'refused')).toEqual([])
    const { id } = (await admin.call(api.operatingSystems.list)).find((os) => os.name === name) ?? {
      id: 0,
    }
    await admin.call(api.operatingSystems.remove, { params: { id } })
    expect((await ask()).status).toBe(201)
  })

  test('of a call that failed inside its transaction leaves no effect and no trace', async () => {
    const before = await made()
    const emit = t.deps.events.emit
    t.deps.events.emit = async () => {
      throw new Error('the outbox is full')
    }
    try {
      expect((await make('failed')).status).toBe(500)
    } finally {
      t.deps.events.emit = emit
    }
    expect(await made()).toBe(before)
    expect((await kept()).filter(({ key }) => key === 'failed')).toEqual([])
    expect((await make('failed')).status).toBe(201)
  })

  test('is deleted after a day, by a repeated call and by the job', async () => {
    const before = await made()
    await make('a day')
    clock.advance(DAY_MS - 1)
    expect((await make('a day', plan, t.as(boss))).isReplay).toBe(true)
    clock.advance(1)
    expect((await make('a day', plan, t.as(boss))).isReplay).toBe(false)
    expect(await made()).toBe(before + 2)
    clock.advance(DAY_MS + 1)
    await createIdempotency(t.deps).prune()
    expect(await kept()).toEqual([])
  })

  test('keeps answers sealed, so that a password made for a client is not readable in the row', async () => {
    const body = { email: t.make.email('sealed') }
    const answer = await press(t.as(boss), api.users.createClient, { body }, 'sealed')
    const [row] = await t.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, 'sealed'))
    expect(answer.body.generatedPassword).toEqual(expect.any(String))
    expect(JSON.stringify(row)).not.toContain(answer.body.generatedPassword)
    expect(row?.sealed).toMatch(/^v1:/)
  })

  const hasManyConnections = database === 'postgres'
  test.runIf(hasManyConnections)(
    'of a slow request that was taken over has one effect',
    async () => {
      const caller = t.as(boss)
      const before = await made()
      const emit = t.deps.events.emit
      let arrived = () => {}
      const isInside = new Promise<void>((done) => {
        arrived = done
      })
      let goOn = () => {}
      const gate = new Promise<void>((done) => {
        goOn = done
      })
      // Only the first one hangs before its transaction is done.
      t.deps.events.emit = async (...args) => {
        t.deps.events.emit = emit
        arrived()
        await gate
        return await emit(...args)
      }
      const slow = make('slow', plan, caller)
      await isInside
      await endLeases(t)
      const quick = await make('slow', plan, caller)
      goOn()
      expect(quick.status).toBe(201)
      expect(await slow).toMatchObject({ status: 409, body: { code: 'IN_FLIGHT' } })
      expect(await made()).toBe(before + 1)
      expect((await make('slow', plan, caller)).text).toBe(quick.text)
    },
  )
})

describe('a key of an order whose checkout could not be opened', async () => {
  const clock = testClock()
  const btcpay = await startBtcpay({ clock })
  afterAll(() => btcpay.close())
  const till = await openTill(btcpay, { clock })
  const { t } = till
  const ordersOf = (userId: number) => t.db.select().from(orders).where(eq(orders.userId, userId))

  test('may be used again once the provider answers, and places one order', async () => {
    const client = await t.make.client()
    const { tokenId } = await till.stock()
    const input = { params: { tokenId } }
    const buy = () => press(t.as(client), api.marketplace.purchase, input, 'away')
    btcpay.faults.isBusy = true
    expect((await buy()).status).toBe(503)
    btcpay.faults.isBusy = false
    const second = await buy()
    expect(second).toMatchObject({ status: 201, isReplay: false })
    expect((await ordersOf(client.id)).map(({ status }) => status).toSorted()).toEqual([
      'cancelled',
      'pending',
    ])
    expect(await buy()).toEqual({ ...second, isReplay: true })
  })

  test('of a payment that could not be opened continues with the same order', async () => {
    const { client, order } = await till.renewal()
    clock.advance(31 * MINUTE_MS)
    const caller = t.as(client)
    const pay = () => press(caller, api.billing.pay, { params: { id: order.id } }, 'pay')
    btcpay.faults.isBusy = true
    expect((await pay()).status).toBe(503)
    btcpay.faults.isBusy = false
    expect((await pay()).status).toBe(200)
    expect((await pay()).isReplay).toBe(true)
    expect(await ordersOf(client.id)).toHaveLength(1)
    expect(await till.payments(order.id)).toHaveLength(2)
  })
})
