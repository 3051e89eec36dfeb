import { expect, test } from 'vitest'
import { isNothing, payLabel, splitPrice } from './credit.ts'

test('credit is spent first and never beyond the price', () => {
  expect(splitPrice('6.00', '0.00')).toEqual({ fromCredit: '0.00', toPay: '6.00' })
  expect(splitPrice('6.00', '2.50')).toEqual({ fromCredit: '2.50', toPay: '3.50' })
  expect(splitPrice('6.00', '10.00')).toEqual({ fromCredit: '6.00', toPay: '0.00' })
})

test('a button that pays shows the amount due, not the part from credit', () => {
  expect(payLabel('Buy', '12.00', '0.00')).toBe('Buy for $12.00')
  expect(payLabel('Buy', '12.00', '3.00')).toBe('Buy: $9.00 to pay')
  expect(payLabel('Instant Deploy', '12.00', '20.00')).toBe('Instant Deploy with credit')
})

test('zero is zero however it is written', () => {
  expect(isNothing('0.00')).toBe(true)
  expect(isNothing('0.01')).toBe(false)
})
