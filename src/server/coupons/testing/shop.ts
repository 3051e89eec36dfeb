import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Clock } from '../../lib/clock.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { type Person, type TestApp, testClock } from '../../testing/test-app.ts'
import type { DatabaseKind } from '../../testing/test-db.ts'

const PLAN = { name: 'Small', cpu: '1 CPU', ram: '1 GB RAM', storage: '1 GB SSD', price: 9.99 }
export const OS = 'Debian 12'

type Made = Partial<{
  code: string
  percent: number
  amountOff: string
  packageIds: string[]
  firstOnly: boolean
  renewals: boolean
  validFrom: string
  validUntil: string
  maxUses: number
  maxPerAccount: number
}>

/** A shop with a package of $9.99, paid in these ways, whose jobs nothing runs. */
export async function couponShop(database: DatabaseKind, ways: string) {
  const clock = testClock()
  const till = await openTill(
    { env: { PAYMENT_PROVIDER: ways, UNPAID_NETWORK_LIMIT: '1000' } },
    { database, clock },
  )
  const { t } = till
  const hand = byHand(till)
  const admin = t.as(await t.make.admin())
  const plan = (name = PLAN.name) =>
    admin.call(api.packages.create, { body: { ...PLAN, name, osOptions: [OS] } })
  const { id: packageId } = await plan()

  return {
    till,
    t,
    clock,
    hand,
    admin,
    plan,
    packageId,
    /** 33 % off, where nothing else is said. */
    make: ({ amountOff, ...more }: Made = {}) =>
      admin.call(api.coupons.create, {
        body: amountOff ? { ...more, amountOff } : { percent: 33, ...more },
      }),
    order: (who: Person, coupon?: string, more: object = {}) =>
      t.as(who).attempt(api.billing.order, {
        body: { packageId, osType: OS, ...(coupon !== undefined && { coupon }), ...more },
      }),
    renew: (who: Person, id: number, body: { coupon?: string; months?: 1 | 3 | 6 | 12 }) =>
      t.as(who).attempt(api.client.renew, { params: { id }, body }),
    preview: (who: Person, code: string, of: object = { packageId }) =>
      t.as(who).attempt(api.coupons.preview, { body: { code, ...of } }),
    uses: async (code: string) => {
      const found = (await admin.call(api.coupons.list)).find((coupon) => coupon.code === code)
      return { used: found?.used, reserved: found?.reserved, state: found?.state }
    },
    setOrder: (id: number, body: { status: 'paid' | 'cancelled'; refund?: 'credit' | 'none' }) =>
      admin.call(api.orders.update, { params: { id }, body }),
  }
}

let lastVm = 700_000

/** A client of an application without a cluster, whose server can be renewed. */
export async function clusterlessTenant({ db, make }: TestApp, clock: Clock) {
  const client = await make.client()
  lastVm += 1
  const uid = String(lastVm)
  const [cluster] = await db
    .insert(clusters)
    .values({ uid, name: uid, host: `${uid}.example`, username: 'x@pam', password: 'x' })
    .returning()
  const [vm] = await db
    .insert(instances)
    .values({ clusterId: cluster?.id ?? 0, vmId: lastVm, name: 'vm', status: 'running' })
    .returning()
  const { id: tokenId } = await make.token({
    status: 'assigned',
    assignedUserId: client.id,
    assignedInstanceId: vm?.id ?? 0,
    expiresAt: new Date(clock.now().getTime() + DAY_MS),
    monthlyPriceCents: 500,
  })
  return { client, tokenId }
}
