import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { broken } from '../testing/by-hand.ts'
import { openPackageChanges } from '../testing/package-changes.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const SMALL = { cores: '1', memory: '1024', gb: '20', qmp: 'running', waits: [] }
const BEFORE = { cores: '2', memory: '2048', gb: '20', qmp: 'running', waits: [] }
const PLANNED = { id: 'small', name: 'Small', price: '3.00', size: { cpu: 1, ramGb: 1 } }

describe.each(BOTH_DATABASES)('a smaller package on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openPackageChanges(t)
  const { hand } = our

  const plan = async (server: SoldServer) => {
    const { status, body } = await our.ask(server.user, server, 'small')
    expect({ status, body }).toMatchObject({ status: 202, body: { jobId: null } })
    return body.from
  }
  const sweepAndRun = async () => {
    await our.sweep()
    await hand.runAll()
  }

  test('costs nothing now, and changes nothing before the next term', async () => {
    const server = await our.rich()
    const end = await our.endsIn(server, 12)
    expect(await plan(server)).toBe(end.toISOString())
    expect(await our.credit(server)).toBe(2000)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(BEFORE)
    const page = await our.page(server)
    expect(page).toMatchObject({ nextPackage: { ...PLANNED, from: null }, monthlyPrice: '3.00' })
    expect(page.size.cpu).toBe(2)
    expect((await our.activity(server))[0]).toBe('instance.package-planned')
  })

  test('begins where the paid time ends, however early the next term is paid', async () => {
    const server = await our.rich()
    const end = await our.endsIn(server, 5)
    await plan(server)
    expect((await our.renew(server)).status).toBe(201)
    expect(await our.credit(server)).toBe(1700)
    expect((await our.page(server)).nextPackage?.from).toBe(end.toISOString())
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(BEFORE)
    clock.advance(5 * DAY_MS)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(SMALL)
    expect(await our.sold(server)).toMatchObject({
      name: 'Small, 1 CPU, 1 GB RAM, 20 GB SSD',
      price: 300,
    })
    expect(await our.page(server)).toMatchObject({ nextPackage: null, packageName: 'Small' })
    expect((await our.changes(server))[0]).toMatchObject({ status: 'active', amountCents: 0 })
    expect(await our.credit(server)).toBe(1700)
  })

  test('is what a renewal from credit costs from then on', async () => {
    const server = await our.rich()
    const params = { id: server.tokenId }
    await t.as(server.user).call(api.credit.autoRenew, { params, body: { enabled: true } })
    await plan(server)
    await our.endsIn(server, 2)
    await hand.autoRenewSweep()
    expect(await our.credit(server)).toBe(1700)
    clock.advance(2 * DAY_MS)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(SMALL)
  })

  test('can be given up until the next term is paid, at the former price', async () => {
    const server = await our.rich()
    await our.endsIn(server, 5)
    await plan(server)
    expect((await our.keep(server)).status).toBe(204)
    expect((await our.page(server)).nextPackage).toBeNull()
    expect(await our.sold(server)).toMatchObject({ price: 500 })
    await plan(server)
    await our.renew(server)
    const { status, body } = await our.keep(server)
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The next term is paid') },
    })
    expect(await our.sold(server)).toMatchObject({ price: 300 })
    const again = await our.ask(server.user, server, 'large')
    expect(again.body).toMatchObject({ message: expect.stringContaining('becomes Small') })
  })

  test('given up twice is given up once', async () => {
    const server = await our.rich()
    await plan(server)
    const both = await Promise.all([our.keep(server), our.keep(server)])
    expect(both.map(({ status }) => status)).toContain(204)
    expect(await our.sold(server)).toMatchObject({ price: 500 })
  })

  test('that fails is tried again an hour later, and the paid time stays', async () => {
    const server = await our.rich()
    await our.endsIn(server, 1)
    await plan(server)
    await our.renew(server)
    const { end } = await our.sold(server)
    clock.advance(DAY_MS)
    await our.sweep()
    await hand.runAll(broken('size'))
    expect(our.inCluster(server)).toEqual(BEFORE)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(BEFORE)
    clock.advance(HOUR_MS)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(SMALL)
    expect(await our.sold(server)).toMatchObject({ price: 300, end })
    expect((await our.changes(server)).map(({ status }) => status)).toEqual(['active', 'cancelled'])
  })

  test('lets a renewal take effect whose money arrives while the package changes', async () => {
    const server = await our.rich()
    await our.endsIn(server, 1)
    await plan(server)
    await our.renew(server)
    const { end } = await our.sold(server)
    clock.advance(DAY_MS)
    const renewal = {
      kind: 'renewal',
      planName: 'Small',
      amountCents: 300,
      status: 'paid',
    } as const
    const [paid] = await t.db
      .insert(orders)
      .values({ ...renewal, userId: server.user.id, tokenId: server.tokenId })
      .returning()
    if (!paid) throw new Error('no order was stored')
    await our.sweep()
    expect((await our.renew(server)).status).toBe(409)
    await t.db.transaction((tx) => hand.fulfil(tx, paid))
    expect(await our.sold(server)).toMatchObject({ end: end + 30 * DAY_MS })
    await hand.runAll()
    expect(our.inCluster(server)).toEqual(SMALL)
    expect(await our.sold(server)).toMatchObject({ price: 300, end: end + 30 * DAY_MS })
  })

  test('waits while the server is worked on or has ended', async () => {
    const server = await our.rich()
    await our.endsIn(server, 1)
    await plan(server)
    await our.renew(server)
    clock.advance(DAY_MS)
    const become = (status: 'expired' | 'assigned') =>
      t.db.update(tokens).set({ status }).where(eq(tokens.id, server.tokenId))
    await become('expired')
    await our.sweep()
    await become('assigned')
    const { body } = await t.as(server.user).attempt(api.servers.password, {
      params: { id: server.id },
    })
    await our.sweep()
    expect(await our.changes(server)).toEqual([])
    await hand.runToEnd(body.jobId)
    await sweepAndRun()
    expect(our.inCluster(server)).toEqual(SMALL)
  })
})
