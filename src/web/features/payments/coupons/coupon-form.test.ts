import { expect, test } from 'vitest'
import { CouponCreate } from '#shared/api/money/coupons.ts'
import { couponBody, EMPTY_COUPON } from './coupon-form.ts'

const judge = (fields: Partial<typeof EMPTY_COUPON>) => {
  const { data, error } = CouponCreate.safeParse(couponBody({ ...EMPTY_COUPON, ...fields }))
  return data ?? error?.issues.map(({ path, message }) => [path[0], message])
}

test('a form with a percentage alone is a coupon for every package, once for each account', () => {
  expect(judge({ off: '20' })).toEqual({
    code: null,
    percent: 20,
    amountOff: null,
    packageIds: null,
    firstOnly: false,
    renewals: false,
    validFrom: null,
    validUntil: null,
    maxUses: null,
    maxPerAccount: 1,
    note: null,
  })
})

test('days count whole, and a code is upper case', () => {
  const made = judge({
    code: ' spring-26 ',
    kind: 'amount',
    off: '2.50',
    firstDay: '2027-03-01',
    lastDay: '2027-03-01',
    orders: 'renewals',
    packageIds: ['small'],
    maxPerAccount: '',
  })
  const start = new Date('2027-03-01T00:00:00').toISOString()
  const end = new Date('2027-03-01T23:59:59.999').toISOString()
  expect(made).toMatchObject({ code: 'SPRING-26', amountOff: '2.50', percent: null })
  expect(made).toMatchObject({ validFrom: start, validUntil: end, renewals: true })
  expect(made).toMatchObject({ packageIds: ['small'], maxPerAccount: null })
})

test.each([
  [{ off: '' }, 'percent', 'at least 1 percent'],
  [{ off: 'ten' }, 'percent', ''],
  [{ off: '101' }, 'percent', 'at most 100'],
  [{ off: '100' }, 'maxUses', 'makes orders free'],
  [{ kind: 'amount', off: '0' }, 'amountOff', 'above 0'],
  [{ off: '5', code: 'AB' }, 'code', '4 to 30'],
  [{ off: '5', code: 'ÄÖÜ-2026' }, 'code', '4 to 30'],
  [{ off: '5', maxUses: '0' }, 'maxUses', 'at least one'],
  [
    { off: '5', firstDay: '2027-03-02', lastDay: '2027-03-01' },
    'validUntil',
    'after the beginning',
  ],
] as const)('%o is refused at %s', (fields, path, sentence) => {
  const issues = judge(fields)
  expect(issues).toEqual([[path, expect.stringContaining(sentence)]])
})
