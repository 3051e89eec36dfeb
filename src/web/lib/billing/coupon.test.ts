import { expect, test } from 'vitest'
import { couponBy, withCoupon } from './coupon.ts'

test.each([
  ['10.00', undefined, { total: '10.00', discount: '0.00' }],
  ['9.99', { code: 'SPRING', percent: 33, amountOff: null }, { total: '6.69', discount: '3.30' }],
  [
    '10.00',
    { code: 'SPRING', percent: null, amountOff: '2.50' },
    { total: '7.50', discount: '2.50' },
  ],
  [
    '2.00',
    { code: 'SPRING', percent: null, amountOff: '2.50' },
    { total: '0.00', discount: '2.00' },
  ],
])('%s with %o is %o', (price, coupon, expected) => {
  expect(withCoupon(price, coupon)).toEqual(expected)
})

test('a request names the coupon only if there is one', () => {
  expect(couponBy(undefined)).toEqual({})
  expect(couponBy({ code: 'SPRING', percent: 5, amountOff: null })).toEqual({ coupon: 'SPRING' })
})
