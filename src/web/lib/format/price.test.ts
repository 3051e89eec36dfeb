import { expect, test } from 'vitest'
import { priceText } from './price.ts'

test('a decimal string becomes dollars', () => {
  expect(priceText('1234.50')).toBe('$1,234.50')
  expect(priceText('0.00')).toBe('$0.00')
})
