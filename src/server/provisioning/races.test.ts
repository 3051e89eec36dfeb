import { eq, inArray } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { type TestApp, testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { openShop } from './testing/shop.ts'

const CALLERS = 50
const ROUNDS = 4
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe.each(BOTH_DATABASES)('one winner, on %s', async (database) => {
  const t = await testApp({ database, sim: true, withJobs: true })
  const shop = await openShop(t)
  // On PostgreSQL a second server with the same database, as two processes have it.
  const second: TestApp =
    database === 'postgres' ? await testApp({ on: t.database, withJobs: true }) : t
  await second.deps.links.refresh()
  // One after another: what is to be crowded is the race, not its preparation.
  const callers: ReturnType<typeof t.as>[] = []
  for (const index of times(CALLERS, (at) => at)) {
    const caller = (index % 2 === 0 ? t : second).as(await t.make.client())
    await caller.cookie
    callers.push(caller)
  }

  const race = async (tokenId: string, route: 'purchase' | 'trial') => {
    const answers = await Promise.all(
      callers.map((caller) => caller.attempt(api.marketplace[route], { params: { tokenId } })),
    )
    const won = answers.filter(({ status }) => status === 201)
    const lost = answers.filter(({ status, body }) => status === 409 && body.code === 'TOKEN_TAKEN')
    return { won: won.length, lost: lost.length }
  }

  test.each(times(ROUNDS, (index) => index))('of 50 purchases, round %i', async () => {
    const token = await shop.token()
    expect(await race(token.tokenId, 'purchase')).toEqual({ won: 1, lost: CALLERS - 1 })
    const placed = await t.db.select().from(orders).where(eq(orders.tokenId, token.id))
    expect(placed).toHaveLength(1)
    const paid = await t.db
      .select()
      .from(payments)
      .where(
        inArray(
          payments.orderId,
          placed.map(({ id }) => id),
        ),
      )
    expect(paid).toHaveLength(1)
  })

  test('of 50 trials', async () => {
    const token = await shop.token({ monthlyPrice: '0' })
    expect(await race(String(token.id), 'trial')).toEqual({ won: 1, lost: CALLERS - 1 })
  })

  test('of 50 instant deploys', async () => {
    const vm = await shop.vm(102)
    const token = await shop.token({ tokenType: 'ready', instanceId: vm.id })
    expect(await race(token.tokenId, 'purchase')).toEqual({ won: 1, lost: CALLERS - 1 })
  })

  test('one client tries ten trials at once: one trial', async () => {
    const free = await Promise.all(times(10, () => shop.token({ monthlyPrice: '0' })))
    const person = await t.make.client()
    const answers = await Promise.all(
      free.map(({ tokenId }, index) =>
        (index % 2 === 0 ? t : second)
          .as(person)
          .attempt(api.marketplace.trial, { params: { tokenId } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const rest = answers.filter(({ status }) => status !== 201)
    expect(rest.map(({ body }) => body.code)).toEqual(times(9, () => 'TRIAL_USED'))
    const rows = await t.db
      .select()
      .from(tokens)
      .where(
        inArray(
          tokens.id,
          free.map(({ id }) => id),
        ),
      )
    expect(rows.filter(({ assignedUserId }) => assignedUserId === person.id)).toHaveLength(1)
  })

  test('twenty tokens with one address, or one MAC: one is made', async () => {
    const address = (
      await shop.admin.call(api.tokens.nextAddress, { query: { nodeId: shop.node.id } })
    ).ipAddress
    const sameAddress = await Promise.all(
      times(20, () =>
        shop.admin.attempt(api.tokens.create, { body: shop.form({ ipAddress: address }) }),
      ),
    )
    expect(sameAddress.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(sameAddress.filter(({ status }) => status === 409)).toHaveLength(19)
    const sameMac = await Promise.all(
      times(10, () =>
        shop.admin.attempt(api.tokens.create, {
          body: shop.form({ macAddress: 'bc-24-11-00-00-01' }),
        }),
      ),
    )
    expect(sameMac.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(sameMac.find(({ status }) => status === 409)?.body.message).toBe(
      'Another token has this MAC address.',
    )
  })

  test('ten sales at once: ten VMs with ten ids', async () => {
    const stock = await Promise.all(times(10, () => shop.token()))
    const sales = await Promise.all(
      stock.map(({ tokenId }, index) =>
        (callers[index] ?? t.visitor).call(api.marketplace.purchase, { params: { tokenId } }),
      ),
    )
    for (const { jobId } of sales)
      expect(await shop.ended(jobId, 60_000)).toMatchObject({ state: 'done' })
    const rows = await t.db
      .select({ vmId: instances.vmId })
      .from(instances)
      .where(
        inArray(
          instances.tokenId,
          stock.map(({ id }) => id),
        ),
      )
    expect(new Set(rows.map(({ vmId }) => vmId)).size).toBe(10)
  })
})
