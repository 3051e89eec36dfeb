import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '#shared/rules/money/money.ts'
import { centsOf, isAmount, satsOf, worthInCents } from './btcpay-amounts.ts'

test.each([
  ['5', 500],
  ['5.0', 500],
  ['5.00', 500],
  ['0.01', 1],
  ['0.019999999', 1],
  ['4.99999999', 499],
  ['0', 0],
  // Parsed as floats, these would be one cent short.
  ['1.15', 115],
  ['8.41', 841],
  ['20000.29', 2_000_029],
])('%s is %i cents', (text, cents) => {
  expect(centsOf(text)).toBe(cents)
})

test.each(['', '-1', '1e3', '1,00', ' 1', '.5', '5.', 'NaN', '0x10'])(
  '%s is not an amount',
  (text) => {
    expect(() => centsOf(text)).toThrow(/not a decimal/)
  },
)

test.each([
  ['0.00010000', '10000'],
  ['0.0001', '10000'],
  ['1', '100000000'],
  ['0.00000001', '1'],
  ['0.00010000123', '10000.123'],
  ['0.00010000100', '10000.1'],
  ['0.00010000000', '10000'],
  ['0', '0'],
])('%s bitcoin are %s sats', (text, sats) => {
  expect(satsOf(text)).toBe(sats)
})

test('every amount we write parses back to the same cents', () => {
  fc.assert(
    fc.property(fc.nat(100_000_000), fc.nat(10), (cents, zeroes) => {
      const text = `${decimal(cents)}${'0'.repeat(zeroes)}`
      expect(centsOf(text)).toBe(cents)
      expect(isAmount(text, cents)).toBe(true)
      expect(isAmount(text, cents + 1)).toBe(false)
    }),
  )
})

test('coins are worth their rate minus the fee, rounded down once', () => {
  expect(worthInCents([])).toBe(0)
  expect(worthInCents([{ value: '0.0001', fee: '0', rate: '50000' }])).toBe(500)
  expect(worthInCents([{ value: '0.00010001', fee: '0.00000001', rate: '50000.00' }])).toBe(500)
  expect(worthInCents([{ value: '0.00007765', fee: '0', rate: '64392.23' }])).toBe(500)
  const half = { value: '0.00000015', fee: '0', rate: '100000' }
  expect(worthInCents([half])).toBe(1)
  expect(worthInCents([half, half])).toBe(3)
  expect(worthInCents([{ value: '0.00000001', fee: '0.0002', rate: '50000' }])).toBe(0)
})

test('reordering or splitting the same coins never increases their worth', () => {
  const part = fc.record({ satoshi: fc.bigInt(0n, 10n ** 9n), rate: fc.nat(10_000_000) })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const given = parts.map(({ satoshi, rate }) => ({
        value: `0.${String(satoshi).padStart(10, '0')}`,
        fee: '0',
        rate: decimal(rate),
      }))
      const together = worthInCents(given)
      expect(worthInCents(given.toReversed())).toBe(together)
      const alone = given.reduce((sum, one) => sum + worthInCents([one]), 0)
      expect(together - alone).toBeGreaterThanOrEqual(0)
      expect(together - alone).toBeLessThan(Math.max(1, parts.length))
    }),
  )
})
