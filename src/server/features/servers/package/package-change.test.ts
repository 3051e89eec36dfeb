import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { packages, subscriptions } from '../../../db/schema/sales.ts'
import { instances, tokens } from '../../../db/schema/stock.ts'
import { press } from '../../../idempotency/testing/press.ts'
import { openPackageChanges } from '../../../provisioning/testing/package-changes.ts'
import type { SoldServer } from '../../../provisioning/testing/reinstalls.ts'
import { createReceipts } from '../../../receipts/receipts.ts'
import { testApp, testClock } from '../../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../../testing/test-db.ts'
import { createRateSweep } from '../../../traffic/rate-sweep.ts'

describe.each(BOTH_DATABASES)('the packages of a server on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openPackageChanges(t)
  const { hand, shop } = our

  const choices = ({ id, user }: SoldServer) =>
    t.as(user).call(api.packageChange.choices, { params: { id } })
  const refusal = async (server: SoldServer, packageId: string) => {
    const { status, body } = await our.ask(server.user, server, packageId)
    expect(status).toBe(409)
    return (body as unknown as { message: string }).message
  }
  const setToken = ({ tokenId }: SoldServer, values: Partial<typeof tokens.$inferInsert>) =>
    t.db.update(tokens).set(values).where(eq(tokens.id, tokenId))

  test('are shown with what each costs now and later', async () => {
    const server = await our.rich('2.00')
    const end = await our.endsIn(server, 12)
    const now = clock.now().toISOString()
    expect(await our.preview(server, 'large')).toMatchObject({
      status: 200,
      // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
      body: { now: '2.40', then: '11.00', from: now, days: 12, needsRestart: true },
    })
    expect((await our.preview(server, 'small')).body).toMatchObject({
      now: '0.00',
      // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
      then: '3.00',
      from: end.toISOString(),
      time: 'at-renewal',
    })
    expect((await our.preview(server, 'wide')).body).toMatchObject({ needsRestart: false })
    const list = await choices(server)
    expect(list).toMatchObject({ credit: '2.00', planned: null })
    const large = list.packages.find(({ id }) => id === 'large')
    expect(large).toMatchObject({
      name: 'Large',
      price: '11.00',
      size: { cpu: 4, ramGb: 4, diskGb: 40 },
      refusal: null,
    })
  })

  test('the present one, one off sale and one with a smaller disk are refused', async () => {
    const server = await our.rich()
    await hand.runToEnd(await our.begin(server, 'large'))
    expect(await refusal(server, 'large')).toBe('This server has this package already.')
    expect(await refusal(server, 'small')).toBe(
      'A disk cannot shrink: this server has 40 GB, this package 20 GB.',
    )
    await t.db.insert(packages).values({
      id: 'off',
      name: 'Off',
      cpu: '8',
      ram: '8 GB',
      storage: '80 GB',
      priceCents: 2000,
      osOptions: ['Debian 12'],
      active: false,
    })
    expect((await our.ask(server.user, server, 'off')).status).toBe(404)
    expect((await choices(server)).packages.map(({ id }) => id)).not.toContain('off')
  })

  test('one for which the node has no room is refused', async () => {
    const server = await our.rich()
    await t.db.insert(packages).values({
      id: 'huge',
      name: 'Huge',
      cpu: '64',
      ram: '1024 GB',
      storage: '16000 GB',
      priceCents: 2000,
      osOptions: ['Debian 12'],
    })
    const sentence = 'The node of this server has no room for this package now.'
    expect(await refusal(server, 'huge')).toBe(sentence)
    expect((await our.preview(server, 'huge')).status).toBe(409)
    await t.db.update(instances).set({ nodeId: null }).where(eq(instances.id, server.id))
    const unknown = 'The node of this server does not answer. Try again in a minute.'
    expect(await refusal(server, 'large')).toBe(unknown)
    expect(await our.changes(server)).toEqual([])
  })

  test('are changed by the owner alone', async () => {
    const server = await our.rich()
    const stranger = await t.make.client()
    expect((await our.ask(stranger, server, 'large')).status).toBe(404)
    const params = { id: server.id }
    const query = { packageId: 'large' }
    expect(
      (await t.as(stranger).attempt(api.packageChange.preview, { params, query })).status,
    ).toBe(404)
    expect((await t.as(stranger).attempt(api.packageChange.keep, { params })).status).toBe(404)
    expect((await our.ask(await t.make.admin(), server, 'large')).status).toBe(403)
  })

  test('are not changed of a server that is suspended, worked on, ended, free or paid by card', async () => {
    const server = await our.rich()
    const set = (values: Partial<typeof instances.$inferInsert>) =>
      t.db.update(instances).set(values).where(eq(instances.id, server.id))
    await set({ suspendedAt: clock.now(), suspendReason: 'Abuse', suspendCause: 'operator' })
    expect(await refusal(server, 'large')).toBe('This server is suspended: Abuse')
    await set({ suspendedAt: null, suspendReason: null, suspendCause: null, status: 'updating' })
    expect(await refusal(server, 'large')).toContain('Another action is still running')
    await set({ status: 'running' })
    await setToken(server, { status: 'expired' })
    expect(await refusal(server, 'large')).toContain('has expired. Renew it to change')
    await setToken(server, { status: 'assigned', monthlyPriceCents: 0 })
    expect(await refusal(server, 'large')).toContain('A free trial ends with its package.')
    await setToken(server, { monthlyPriceCents: 500 })
    const card = { tokenId: server.tokenId, userId: server.user.id, status: 'active' }
    await t.db.insert(subscriptions).values({ ...card, providerSubscriptionId: `s${server.id}` })
    expect(await refusal(server, 'large')).toContain('renews itself by card')
    const [large] = (await choices(server)).packages.filter(({ id }) => id === 'large')
    expect(large?.refusal).toContain('renews itself by card')
  })

  test('cost an API key no more than it may spend in a day', async () => {
    const server = await our.rich()
    await our.endsIn(server, 12)
    const keyOf = async (dailyLimit: string) => {
      const body = { name: 'shop', scopes: ['billing:spend' as const], dailyLimit }
      return (await t.as(server.user).call(api.apiKeys.create, { body })).key
    }
    const byKey = async (dailyLimit: string) =>
      await t.app.inject({
        method: 'POST',
        url: `/api/instances/${server.id}/package`,
        headers: { authorization: `Bearer ${await keyOf(dailyLimit)}` },
        payload: { packageId: 'large', restart: true },
      })
    const refused = await byKey('2.39')
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'SPENDING_LIMIT'])
    expect(await our.changes(server)).toEqual([])
    expect(await our.credit(server)).toBe(2000)
    expect((await byKey('2.40')).statusCode).toBe(202)
    await hand.runAll()
    expect(await our.credit(server)).toBe(1760)
  })

  test('pressed again with the same key has one effect and one answer', async () => {
    const server = await our.rich()
    const wish = { params: { id: server.id }, body: { packageId: 'large', restart: true } }
    const again = () => press(t.as(server.user), api.packageChange.change, wish, 'one press of it')
    const first = await again()
    await hand.runToEnd(String(first.body.jobId))
    expect(await again()).toMatchObject({ status: 202, text: first.text, isReplay: true })
    expect(await our.changes(server)).toHaveLength(1)
    expect(await our.credit(server)).toBe(1400)
  })

  test('bring their rate, their backups and a receipt for the rest of the time', async () => {
    await t.db.update(packages).set({ rateMbit: 80 }).where(eq(packages.id, 'wide'))
    const server = await our.rich()
    const end = await our.endsIn(server, 15)
    const jobId = await our.begin(server, 'wide')
    const quota = async () =>
      (await t.as(server.user).call(api.backups.list, { params: { id: server.id } })).quota.most
    const before = await quota()
    await hand.runToEnd(jobId)
    expect([before, await quota()]).toEqual([0, 2])
    await createRateSweep({ ...t.deps })()
    expect(our.vmOf(server).config.net0).toContain('rate=9.5367')
    await createReceipts(t.deps).sweep()
    const [order] = await our.changes(server)
    const { receipts } = await t.as(server.user).call(api.billing.details, {
      params: { id: order?.id ?? 0 },
    })
    expect(receipts).toMatchObject([{ amount: '0.50' }])
    expect(order?.nextBillingAt).toEqual(end)
  })

  test('an operator who ends the server gives the change back, too, and cannot cancel it', async () => {
    const server = await our.rich()
    await hand.runToEnd(await our.begin(server, 'large'))
    const [order] = await our.changes(server)
    const cancel = await shop.admin.attempt(api.orders.update, {
      params: { id: order?.id ?? 0 },
      body: { status: 'cancelled' },
    })
    expect(cancel).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('cannot be cancelled') },
    })
    await shop.admin.call(api.instances.end, {
      params: { id: server.id },
      body: { refund: 'credit', confirm: String(server.vmId) },
    })
    // $5.00 for the server, and all of the $20.00 again.
    expect(await our.credit(server)).toBe(2500)
    expect(await our.isBalanced()).toBe(true)
  })

  test('a planned one does not go to the next owner', async () => {
    const server = await our.rich()
    await our.ask(server.user, server, 'small')
    const params = { id: server.id }
    const { code } = await t.as(server.user).call(api.servers.offer, { params })
    const next = await t.make.client()
    await t.as(next).call(api.client.takeOver, { params: { code }, body: {} })
    expect(await our.sold(server)).toMatchObject({ price: 500 })
    const page = await t.as(next).call(api.servers.get, { params })
    expect(page.nextPackage).toBeNull()
    expect(page.paidUntil).toBe(new Date(clock.now().getTime() + 30 * DAY_MS).toISOString())
  })
})
