import { describe, expect, test } from 'vitest'
import { couponState, discountOf, isCouponFor } from './coupon.ts'

const percent = (percent: number) => ({ percent, offCents: null })
const fixed = (offCents: number) => ({ percent: null, offCents })

describe('what a coupon takes off', () => {
  test.each([
    [1000, percent(10), 100],
    // 9.99 less 33 % is 6.6933: the client pays 6.69.
    [999, percent(33), 330],
    [1, percent(1), 1],
    [500, percent(100), 500],
    [0, percent(50), 0],
    [500, fixed(200), 200],
    [500, fixed(500), 500],
    [500, fixed(900), 500],
    [0, fixed(900), 0],
  ])('of %i with %o is %i', (price, off, discount) => {
    expect(discountOf(price, off)).toBe(discount)
  })

  test('is never more than the price and never less than the percentage', () => {
    for (let price = 0; price < 300; price += 1) {
      for (let part = 1; part <= 100; part += 1) {
        const discount = discountOf(price, percent(part))
        expect(discount).toBeLessThanOrEqual(price)
        expect(discount * 100).toBeGreaterThanOrEqual(price * part)
      }
    }
  })
})

describe('the state of a coupon', () => {
  const now = new Date('2027-01-10T12:00:00Z')
  const before = new Date('2027-01-10T11:59:59Z')
  const after = new Date('2027-01-10T12:00:01Z')
  const open = { isOn: true, validFrom: null, validUntil: null, maxUses: null }

  test.each([
    [open, 1000, 'on'],
    [{ ...open, isOn: false, validUntil: before }, 0, 'off'],
    [{ ...open, validUntil: now }, 0, 'ended'],
    [{ ...open, validUntil: after }, 0, 'on'],
    [{ ...open, validFrom: after }, 0, 'to come'],
    [{ ...open, validFrom: now }, 0, 'on'],
    [{ ...open, maxUses: 2 }, 1, 'on'],
    [{ ...open, maxUses: 2 }, 2, 'used up'],
  ] as const)('%o with %i uses is %s', (coupon, uses, state) => {
    expect(couponState(coupon, uses, now)).toBe(state)
  })
})

describe('who may use a coupon', () => {
  const any = { packageIds: null, firstOnly: false, renewals: false, maxPerAccount: null }
  const purchase = { isRenewal: false, packageId: 'small', usesOfAccount: 0, purchases: 0 }
  const renewal = { ...purchase, isRenewal: true, purchases: 1 }

  test.each([
    [any, purchase, true],
    [any, { ...purchase, packageId: null }, true],
    [any, renewal, false],
    [{ ...any, renewals: true }, renewal, true],
    [{ ...any, firstOnly: true }, purchase, true],
    [{ ...any, firstOnly: true }, { ...purchase, purchases: 1 }, false],
    [{ ...any, firstOnly: true, renewals: true }, { ...renewal, purchases: 0 }, false],
    [{ ...any, maxPerAccount: 1 }, purchase, true],
    [{ ...any, maxPerAccount: 1 }, { ...purchase, usesOfAccount: 1 }, false],
    [{ ...any, packageIds: ['small'] }, purchase, true],
    [{ ...any, packageIds: ['large'] }, purchase, false],
    [{ ...any, packageIds: ['small'] }, { ...purchase, packageId: null }, false],
  ] as const)('%o for %o: %s', (coupon, wish, isFor) => {
    expect(isCouponFor(coupon, wish)).toBe(isFor)
  })
})
