import { api } from '#shared/api/index.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { type Person, testClock } from '../../testing/test-app.ts'
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
export async function couponShop(
  database: DatabaseKind,
  ways: string,
  env: Record<string, string> = {},
) {
  const clock = testClock()
  const till = await openTill({ env: { PAYMENT_PROVIDER: ways, ...env } }, { database, clock })
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
