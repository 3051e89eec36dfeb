import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRate, piconeroFor, rateText, worthInCents, xmrText } from './piconero.ts'

const rateOf = (text: string): bigint => parseRate(text) ?? 0n

describe('a rate', () => {
  test.each([
    ['158.4', '158.40000000'],
    ['158', '158.00000000'],
    ['0.000000019', '0.00000001'],
  ])('%s is read as %s', (text, stored) => expect(rateText(rateOf(text))).toBe(stored))

  test.each(['', '0', '0.000000001', '-1', '1e3', 'NaN', '12345678', '1,5', ' 1'])(
    '%s is no rate',
    (text) => expect(parseRate(text)).toBeUndefined(),
  )
})

describe('an amount', () => {
  test.each([
    [500, '150.00', '0.033334'],
    [1, '150.00', '0.000067'],
    [1_000_000, '0.5', '20000.000000'],
  ])('of %i cents at $%s is %s XMR', (cents, rate, xmr) => {
    expect(xmrText(piconeroFor(cents, rateOf(rate)))).toBe(xmr)
  })

  test('shows more than six digits only where they are not zero', () => {
    expect(xmrText(1n)).toBe('0.000000000001')
    expect(xmrText(33_334_000_100n)).toBe('0.0333340001')
  })

  test('is worth what was asked for, never less, and not a cent more than its last digit', () => {
    const cents = fc.integer({ min: 1, max: 100_000_000 })
    const rates = fc.bigInt({ min: 10n ** 6n, max: 10n ** 13n })
    fc.assert(
      fc.property(cents, rates, (asked, rate) => {
        const pico = piconeroFor(asked, rate)
        const lastDigit = worthInCents([{ pico: 1_000_000n, rate }])
        const worth = worthInCents([{ pico, rate }])
        expect(worth).toBeGreaterThanOrEqual(asked)
        expect(worth).toBeLessThanOrEqual(asked + lastDigit)
        expect(worthInCents([{ pico: pico - 1_000_001n, rate }])).toBeLessThan(asked)
      }),
    )
  })

  test('in parts is rounded once, and down', () => {
    const part = { pico: 9_999_999n, rate: rateOf('1000') }
    expect(worthInCents([part])).toBe(0)
    expect(worthInCents([part, { ...part, pico: 1n }])).toBe(1)
  })
})
