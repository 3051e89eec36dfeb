import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MONTHS, MOST_PERCENT, NO_DISCOUNTS, priceOfMonths } from './months.ts'

test('several months cost their sum without the discount', () => {
  const discounts = { 3: 5, 6: 10, 12: 20 }
  expect(MONTHS.map((months) => priceOfMonths(500, months, discounts))).toEqual([
    500, 1425, 2700, 4800,
  ])
  expect(MONTHS.map((months) => priceOfMonths(500, months, NO_DISCOUNTS))).toEqual([
    500, 1500, 3000, 6000,
  ])
})

test('a price is whole cents, above nothing, and never more than the sum', () => {
  const percent = fc.integer({ min: 0, max: MOST_PERCENT })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.constantFrom(...MONTHS),
      fc.record({ 3: percent, 6: percent, 12: percent }),
      (monthly, months, discounts) => {
        const price = priceOfMonths(monthly, months, discounts)
        expect(Number.isInteger(price)).toBe(true)
        expect(price).toBeGreaterThanOrEqual(0)
        expect(price).toBeLessThanOrEqual(monthly * months)
      },
    ),
  )
})
