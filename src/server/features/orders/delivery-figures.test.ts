import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('the figures of deliveries on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock })
  const order = { planName: 'Small', amountCents: 500 }
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)

  const answered = (days: number, seconds: number) => {
    const beganAt = daysAgo(days)
    const answeredAt = new Date(beganAt.getTime() + seconds * 1000)
    const proof = { beganAt, answeredAt, answeredBy: 'ssh' as const }
    return t.db.insert(orders).values({ ...order, status: 'active', ...proof })
  }
  const returned = (days: number) =>
    t.db.insert(orders).values({ ...order, status: 'cancelled', returnedAt: daysAgo(days) })
  const figures = () => t.visitor.call(api.delivery.figures)

  test('are empty where nothing was delivered, also if something came back', async () => {
    expect(await figures()).toEqual({ delivered: 0, returned: 0, medianSeconds: null })
    await returned(1)
    expect(await figures()).toEqual({ delivered: 0, returned: 1, medianSeconds: null })
  })

  test('are those of the last 30 days, with the median', async () => {
    for (const seconds of [10, 48, 9000]) await answered(2, seconds)
    await answered(31, 5)
    await returned(31)
    // By hand: no server proved anything.
    await t.db.insert(orders).values({ ...order, status: 'active' })
    expect(await figures()).toEqual({ delivered: 3, returned: 1, medianSeconds: 48 })
  })
})
