import { describe, expect, test } from 'vitest'
import { isTopUp, topUpBounds } from './top-up.ts'

describe('the amount of a top-up', () => {
  test.each(['1', '1.00', '25.5', '1000.00'])('%s can be bought', (amount) => {
    expect(isTopUp(amount)).toBe(true)
  })

  test.each(['0', '0.99', '-5', '1000.01', '1e3', '5.001', '', 'five', '0x10'])(
    '%s cannot be bought',
    (amount) => {
      expect(isTopUp(amount)).toBe(false)
    },
  )

  test('the sentence names both bounds', () => {
    expect(topUpBounds()).toBe('Please enter an amount from $1.00 to $1,000.00')
  })
})
