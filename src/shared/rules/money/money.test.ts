import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal, formatUsd, MAX_CENTS, parseAmount } from './money.ts'

test.each([
  ['5', 500],
  ['5.0', 500],
  ['5.05', 505],
  [5.1, 510],
  ['0', 0],
  ['0.00', 0],
  ['1000000', MAX_CENTS],
])('%s is %i cents', (value, cents) => {
  expect(parseAmount(value)).toBe(cents)
})

test.each(['', '-1', '5.001', '1e3', 'NaN', '5,00', '1000000.01', '0x10', Number.NaN, Infinity])(
  '%s is no amount',
  (value) => {
    expect(parseAmount(value)).toBeUndefined()
  },
)

test('every amount survives formatting and parsing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_CENTS }), (cents) => {
      expect(parseAmount(decimal(cents))).toBe(cents)
    }),
  )
})

test('amounts are formatted as US dollars in en-US style', () => {
  expect(formatUsd(123_450)).toBe('$1,234.50')
  expect(decimal(-1)).toBe('-0.01')
})
