import type { Group } from '../mutant.ts'

/** Discounts by a code. */
export const COUPONS: Group[] = [
  {
    file: 'src/shared/rules/money/coupon.ts',
    tests: ['src/shared/rules/money/coupon.test.ts'],
    mutants: [
      ['Math.min(price, offCents ?? 0)', '(offCents ?? 0)'],
      ['Math.floor((price', 'Math.ceil((price'],
      ["if (!coupon.isOn) return 'off'", ''],
      ['coupon.validUntil <= now', 'coupon.validUntil < now'],
      ['coupon.validFrom > now', 'coupon.validFrom >= now'],
      ['uses >= coupon.maxUses', 'uses > coupon.maxUses'],
      ['if (wish.isRenewal && !coupon.renewals) return false', ''],
      ['(wish.isRenewal || wish.purchases > 0)', 'wish.purchases > 0'],
      ['wish.usesOfAccount >= coupon.maxPerAccount', 'wish.usesOfAccount > coupon.maxPerAccount'],
      ["coupon.packageIds.includes(wish.packageId ?? '')", 'true'],
    ],
  },
  {
    file: 'src/server/coupons/coupons.ts',
    tests: [
      'src/server/coupons/last-use.test.ts',
      'src/server/features/coupons/coupons.test.ts',
      'src/server/coupons/paid-orders.test.ts',
    ],
    mutants: [
      ["couponOf(tx, code).for('update')", 'couponOf(tx, code)'],
      ["if (couponState(coupon, used + reserved, clock.now()) !== 'on') throw invalidCoupon()", ''],
      ['used + reserved, clock.now()', 'used, clock.now()'],
      ['if (!isCouponFor(coupon, facts)) throw invalidCoupon()', ''],
      ['if (discount === 0) throw invalidCoupon()', ''],
      [
        'await gate.pass(wish.userId, async () => {',
        'await (async (work: () => Promise<void>) => work())(async () => {',
      ],
      ['amountCents: priceCents - discountCents', 'amountCents: priceCents'],
    ],
  },
  {
    file: 'src/server/coupons/coupon-rows.ts',
    tests: ['src/server/coupons/coupons.test.ts', 'src/server/coupons/last-use.test.ts'],
    mutants: [
      ["ne(orders.couponUse, 'returned'),", ''],
      ['wish && staysBeside(wish)', 'undefined'],
      ['eq(orders.userId, wish.userId),', ''],
      ["inArray(orders.kind, ['purchase', 'package']),", 'sql`false`,'],
      ["(use === 'reserved' ? of : 0)", '0'],
      ['eq(coupons.typed, readVoucher(code))', 'eq(coupons.typed, code)'],
    ],
  },
  {
    file: 'src/server/orders/orders.ts',
    tests: ['src/server/coupons/coupons.test.ts'],
    mutants: [
      ["else 'used' end", "else 'reserved' end"],
      ["else 'returned' end", "else 'used' end"],
      ["= 'active' then", "= 'cancelled' then"],
      ['order.amountCents + order.discountCents', 'order.amountCents'],
    ],
  },
  {
    file: 'src/server/provisioning/renewal-order.ts',
    tests: ['src/server/coupons/coupons.test.ts'],
    mutants: [
      ['if (isSame && isSameCoupon(open, coupon?.code)) return open', 'if (isSame) return open'],
      ['fullPriceOf(open) === price', 'open.amountCents === price'],
    ],
  },
  {
    file: 'src/server/provisioning/package-server.ts',
    tests: ['src/server/coupons/coupons.test.ts', 'src/server/coupons/paid-orders.test.ts'],
    mutants: [['monthlyPriceCents: fullPriceOf(order)', 'monthlyPriceCents: order.amountCents']],
  },
  {
    file: 'src/server/provisioning/package-orders.ts',
    tests: ['src/server/features/coupons/coupons.test.ts', 'src/server/coupons/coupons.test.ts'],
    mutants: [
      [
        '...(await coupons.reserve(tx, coupon, about, plan.priceCents))',
        'amountCents: plan.priceCents',
      ],
    ],
  },
  {
    file: 'src/server/provisioning/renewals.ts',
    tests: ['src/server/features/coupons/coupons.test.ts'],
    mutants: [['await beforeEffect(() => admit(which, renewing.coupon))', '']],
  },
  {
    file: 'src/server/features/coupons/coupons.service.ts',
    tests: ['src/server/features/coupons/coupons.test.ts'],
    mutants: [
      ['if (order) {', 'if (false) {'],
      ['if (end !== null && end <= now) {', 'if (false) {'],
      ['if (ids.every((id) => known.has(id))) return', 'if (ids) return'],
    ],
  },
  {
    file: 'src/server/features/coupons/coupon-preview.ts',
    tests: ['src/server/features/coupons/coupons.test.ts'],
    mutants: [
      [
        "if (token?.assignedUserId !== userId || token.status === 'cancelled') throw notFound('Token')",
        "if (!token) throw notFound('Token')",
      ],
    ],
  },
  {
    file: 'src/shared/api/money/coupons.ts',
    tests: ['src/server/features/coupons/coupons.test.ts'],
    mutants: [
      ['if (percent === 100 && (coupon.maxUses ?? null) === null) {', 'if (false) {'],
      ['if (coupon.firstOnly && coupon.renewals) {', 'if (false) {'],
    ],
  },
]
