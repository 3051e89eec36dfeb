import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { openPostgres } from '../db/connect/postgres.ts'
import { orders } from '../db/schema/sales.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE, testPostgresUrl } from '../testing/test-db.ts'
import { clusterlessTenant, couponShop } from './testing/shop.ts'

const PRESSES = 50

describe.each(EACH_DATABASE)('the last use of a coupon, on %s', async (database) => {
  const shop = await couponShop(database, 'manual')
  const { t, make, order, uses } = shop
  const people = (many: number) => Promise.all(Array.from({ length: many }, () => t.make.client()))
  const placed = (code: string) => t.db.$count(orders, eq(orders.coupon, code))

  /** A busy machine may have no free connection: asks again, as a page would. */
  const press = async (ask: () => Promise<{ status: number }>) => {
    let answer = await ask()
    while (answer.status === 503) answer = await ask()
    return answer.status
  }

  test('goes to one of fifty orders at once', async () => {
    const { code } = await make({ maxUses: 1 })
    const clients = await people(PRESSES)
    const answers = await Promise.all(clients.map((client) => press(() => order(client, code))))
    expect(answers.filter((status) => status === 201)).toHaveLength(1)
    expect(answers.filter((status) => status === 422)).toHaveLength(PRESSES - 1)
    expect(await placed(code)).toBe(1)
    expect(await uses(code)).toEqual({ used: 0, reserved: 1, state: 'used up' })
  })

  test('for an account goes to one of its orders at once, of the packages and of the stock', async () => {
    const { code } = await make({ maxPerAccount: 1 })
    const [client] = await people(1)
    if (!client) throw new Error('no client was made')
    const stock = await Promise.all(Array.from({ length: 5 }, () => shop.till.stock()))
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => press(() => order(client, code))),
      ...stock.map(({ tokenId }) =>
        press(() =>
          t.as(client).attempt(api.marketplace.purchase, {
            params: { tokenId },
            body: { coupon: code },
          }),
        ),
      ),
    ])
    expect(answers.filter((status) => status === 201)).toHaveLength(1)
    expect(await placed(code)).toBe(1)
  })

  test('for a first purchase goes to one of the orders of an account at once', async () => {
    const { code } = await make({ firstOnly: true })
    const [client] = await people(1)
    if (!client) throw new Error('no client was made')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => press(() => order(client, code))),
    )
    expect(answers.filter((status) => status === 201)).toHaveLength(1)
    expect(await placed(code)).toBe(1)
  })

  test('is not taken by an order that is refused for another reason', async () => {
    const { code } = await make({ maxUses: 1 })
    const [client] = await people(1)
    if (!client) throw new Error('no client was made')
    const wrong = await order(client, code, { osType: 'Plan 9' })
    expect(wrong.status).toBe(400)
    expect((await order(client, code, { paymentMethod: 'credit' })).status).toBe(409)
    expect(await uses(code)).toEqual({ used: 0, reserved: 0, state: 'on' })
    expect((await order(client, code)).status).toBe(201)
  })
})

test('the last uses go to as many orders of two processes', async () => {
  const url = await testPostgresUrl()
  const clock = testClock()
  const open = async () => {
    const database = await openPostgres({ url, onError: (error) => process.emitWarning(error) })
    const app = await testApp({ on: database, clock, env: { PAYMENT_PROVIDER: 'manual' } })
    return { database, app }
  }
  const [one, two] = [await open(), await open()]
  const admin = one.app.as(await one.app.make.admin())
  const { code } = await admin.call(api.coupons.create, {
    body: { percent: 10, renewals: true, maxUses: 3 },
  })
  const presses = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { client, tokenId: id } = await clusterlessTenant(one.app, clock)
      return () =>
        (index % 2 ? one : two).app
          .as(client)
          .attempt(api.client.renew, { params: { id }, body: { coupon: code } })
    }),
  )
  const answers = await Promise.all(presses.map((press) => press()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(27)
  expect(await two.app.db.$count(orders, eq(orders.coupon, code))).toBe(3)
  for (const { app, database } of [one, two]) {
    await app.close()
    await database.close()
  }
})
