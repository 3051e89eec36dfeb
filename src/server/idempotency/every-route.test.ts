import { count, isNotNull } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { RequestOf, Route, RouteGroup } from '#shared/api/parts/route.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { startStripe } from '../payments/testing/stripe-stand-in.ts'
import { openTill } from '../payments/testing/till.ts'
import { openShop } from '../provisioning/testing/shop.ts'
import { clusterBody } from '../testing/cluster-body.ts'
import { type TestApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { startTestSim } from '../testing/with-sim.ts'
import { creditCases } from './testing/credit.ts'
import { NEEDS_NO_KEY } from './testing/needs-no-key.ts'
import { poolBody } from './testing/pool-body.ts'
import { endLeases, PLAN, press, withoutAnswers } from './testing/press.ts'
import { programCases } from './testing/programs.ts'
import { type Case, type Running, waysBack } from './testing/ways-back.ts'
import { waysIn } from './testing/ways-in.ts'

const routes = Object.values<RouteGroup>(api).flatMap((group) => Object.values(group))
const idempotent = routes.filter((route) => route.idempotent)

test('every POST accepts an idempotency key or states why it needs none', () => {
  const without = routes.filter(({ method, idempotent }) => method === 'POST' && !idempotent)
  expect(without.map(({ path }) => path).toSorted()).toEqual(Object.keys(NEEDS_NO_KEY).toSorted())
})

const person = {
  firstName: 'Ada',
  lastName: 'Byron',
  mobileNumber: '0123456789',
  password: 'long enough',
  agreedToTerms: true,
}

/** What was created or paid, without what has changed since on its own. */
const essence = (text: string) =>
  text.match(
    /"(id|code|jobId|url|checkoutUrl|newPassword|generatedPassword|key|secret|recoveryCodes)":("[^"]*"|\d+|\[[^\]]*\])/g,
  )

describe.each(BOTH_DATABASES)('a repeated call, on %s', async (database) => {
  const clock = testClock()
  const sandbox = { env: { PAYMENT_PROVIDER: 'sandbox' } }
  const house = await openTill(sandbox, { database, clock, withJobs: true })
  const byHand = { env: { PAYMENT_PROVIDER: 'manual' } }
  const manual = await openTill(byHand, { database, clock, withJobs: true })
  const stripe = await startStripe()
  const cards = await openTill(stripe, { database, clock })
  const second = await startTestSim()
  afterAll(async () => {
    await stripe.close()
    await second.close()
  })
  const { t } = house
  const shop = await openShop(t)
  const client = await t.make.client()
  let lastName = 0
  const named = (name: string) => {
    lastName += 1
    return `${name} ${lastName}`
  }
  const byClient =
    (input: () => Promise<object>): Case['arrange'] =>
    async () => [t.as(client), await input()]
  const byAdmin =
    (input: () => Promise<object>): Case['arrange'] =>
    async () => [shop.admin, await input()]

  /** An operator's action on a server that a client has. */
  const onServer = (body: object) => async (): Promise<Running> => {
    const token = await shop.token()
    const params = { tokenId: token.tokenId }
    const { jobId } = await t.as(client).call(api.marketplace.purchase, { params })
    await shop.ended(jobId)
    const { assignedInstanceId: id, proxmoxVmId } = await shop.tokenRow(token.id)
    return [
      shop.admin,
      { params: { id: id ?? 0 }, body: { confirm: String(proxmoxVmId), ...body } },
    ]
  }

  /** The same, with only this beside the server. */
  const onIts =
    (more: () => object): Case['arrange'] =>
    async () => {
      const [admin, { params }] = await onServer({})()
      return [admin, { params, ...more() }]
    }

  const ownServer = async () => ({ params: (await onServer({})())[1].params })

  const cases: (Case & { app?: TestApp })[] = [
    {
      route: api.marketplace.purchase,
      arrange: byClient(async () => ({ params: { tokenId: (await shop.token()).tokenId } })),
    },
    {
      route: api.marketplace.trial,
      arrange: async () => {
        const { tokenId } = await shop.token({ monthlyPrice: '0' })
        return [t.as(await t.make.client()), { params: { tokenId } }]
      },
    },
    {
      route: api.billing.order,
      arrange: byClient(async () => {
        const { id } = await shop.admin.call(api.packages.create, { body: PLAN })
        return { body: { packageId: id, osType: 'Debian 12' } }
      }),
    },
    {
      route: api.client.renew,
      arrange: async () => {
        const { client: tenant, token } = await house.tenant()
        return [t.as(tenant), { params: { id: token.id } }]
      },
    },
    { route: api.servers.offer, arrange: async () => [t.as(client), await ownServer()] },
    {
      route: api.client.takeOver,
      arrange: async () => {
        const { params } = await ownServer()
        const { code } = await t.as(client).call(api.servers.offer, { params })
        return [t.as(await t.make.client()), { params: { code } }]
      },
    },
    {
      route: api.billing.pay,
      app: manual.t,
      arrange: async () => {
        const { client: payer, order } = await manual.renewal()
        return [manual.t.as(payer), { params: { id: order.id } }]
      },
    },
    {
      route: api.orders.update,
      app: manual.t,
      arrange: async () => {
        const { order } = await manual.renewal()
        const body = { status: 'paid' }
        return [manual.t.as(await manual.t.make.admin()), { params: { id: order.id }, body }]
      },
    },
    {
      route: api.sshKeys.add,
      arrange: async () => {
        const { publicKey } = PUBLIC_KEYS.ed25519
        return [t.as(await t.make.client()), { body: { name: 'laptop', publicKey } }]
      },
    },
    { route: api.tokens.create, arrange: byAdmin(async () => ({ body: shop.form() })) },
    { route: api.packages.create, arrange: byAdmin(async () => ({ body: PLAN })) },
    {
      route: api.pools.create,
      arrange: byAdmin(async () => ({ body: poolBody(t.cluster.id) })),
    },
    {
      route: api.operatingSystems.create,
      arrange: byAdmin(async () => ({ body: { name: named('Slackware') } })),
    },
    {
      route: api.payments.addPlan,
      arrange: byAdmin(async () => ({ body: { name: named('Monthly'), monthlyPrice: '5.00' } })),
    },
    {
      route: api.vouchers.create,
      arrange: byAdmin(async () => ({ body: { count: 2, amount: '5.00' } })),
    },
    {
      route: api.coupons.create,
      arrange: byAdmin(async () => ({ body: { percent: 5 } })),
    },
    ...creditCases(house, { server: ownServer, client: t.as(client), admin: shop.admin }),
    ...programCases(t),
    {
      route: api.vouchers.redeem,
      arrange: async () => {
        const admin = t.as(await t.make.admin())
        const body = { count: 1, amount: '5.00' }
        const { vouchers } = await admin.call(api.vouchers.create, { body })
        return [t.as(await t.make.client()), { body: { code: vouchers[0]?.code ?? '' } }]
      },
    },
    {
      route: api.users.create,
      arrange: byAdmin(async () => ({
        body: { ...person, email: t.make.email('ada') },
      })),
    },
    {
      route: api.users.createClient,
      arrange: byAdmin(async () => ({ body: { email: t.make.email('inline') } })),
    },
    {
      route: api.users.resetPassword,
      arrange: byAdmin(async () => ({ params: { id: (await t.make.client()).id } })),
    },
    {
      route: api.instances.create,
      arrange: byAdmin(async () => {
        const { id: tokenId } = await shop.token()
        return { body: { tokenId, name: named('Theirs'), clientUserId: client.id } }
      }),
    },
    { route: api.instances.end, arrange: onServer({ refund: 'credit' }) },
    { route: api.servers.reinstall, arrange: onServer({ osType: 'Debian 12' }) },
    { route: api.servers.password, arrange: onIts(() => ({})) },
    ...waysBack({ t, shop, named, onServer }),
    { route: api.instances.suspend, arrange: onServer({ reason: 'Abuse' }) },
    {
      route: api.instances.resume,
      arrange: async () => {
        const [admin, { params }] = await onServer({})()
        await admin.call(api.instances.suspend, { params, body: { reason: 'Abuse' } })
        return [admin, { params }]
      },
    },
    ...waysIn(t, clock),
    {
      route: api.templates.clone,
      arrange: byAdmin(async () => ({
        params: { id: shop.template.id },
        body: { name: named('Clone') },
      })),
    },
    {
      route: api.clusters.create,
      arrange: byAdmin(async () => ({ body: clusterBody(second) })),
    },
    {
      route: api.billing.subscribe,
      app: cards.t,
      arrange: async () => {
        const { client: tenant, token } = await cards.tenant()
        const admin = cards.t.as(await cards.t.make.admin())
        const body = { name: named('Card'), monthlyPrice: '5.00', stripePriceId: 'price_1' }
        await admin.call(api.payments.addPlan, { body })
        return [cards.t.as(tenant), { params: { id: token.id } }]
      },
    },
  ]

  test('is tested for every route that accepts a key', () => {
    expect(new Set(cases.map(({ route }) => route.path))).toEqual(
      new Set(idempotent.map(({ path }) => path)),
    )
  })

  /** Every effect is in the audit log. */
  const entries = async ({ db }: TestApp) =>
    await db.select({ of: count() }).from(auditLog).where(isNotNull(auditLog.actorId))

  test.each(cases.map((one) => [`${one.route.method} ${one.route.path}`, one] as const))(
    '%s gives the same answer, and has one effect',
    async (name, { route, app = t, arrange }) => {
      const [caller, input] = await arrange()
      const request = input as RequestOf<Route>
      const first = await press(caller, route, request, `replay ${name}`)
      expect(first).toMatchObject({ status: route.status ?? 200, isReplay: false })
      const before = await entries(app)
      const again = await press(caller, route, request, `replay ${name}`)
      expect(again).toEqual({ ...first, isReplay: true })
      expect(await entries(app)).toEqual(before)
    },
  )

  // Without those whose effect was tested above and cannot be repeated.
  const resumable = cases.filter(({ route }) => route !== api.clusters.create)
  test.each(resumable.map((one) => [`${one.route.method} ${one.route.path}`, one] as const))(
    '%s has one effect if it was killed before it answered',
    async (name, { route, app = t, arrange }) => {
      const [caller, input] = await arrange()
      const request = input as RequestOf<Route>
      const ask = () => press(caller, route, request, `kill ${name}`)
      const first = await withoutAnswers(app, ask)
      expect(first.status).toBe(route.status ?? 200)
      const before = await entries(app)
      const busy = await ask()
      expect(busy).toMatchObject({ status: 409, body: { code: 'IN_FLIGHT' }, retryAfter: '1' })
      await endLeases(app)
      const again = await ask()
      expect(again.status).toBe(first.status)
      expect(essence(again.text)).toEqual(essence(first.text))
      expect(await entries(app)).toEqual(before)
    },
  )
})
