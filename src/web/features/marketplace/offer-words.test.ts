import { expect, test } from 'vitest'
import { atTheEnd, isTakeable, OFFER_LABELS, offerPeriod, offerPrice } from './offer-words.ts'

const month = { monthlyPrice: '12.00', durationDays: 30 }
const trial = { monthlyPrice: '0.00', durationDays: 7 }

test('price and period', () => {
  expect([offerPrice(month), offerPeriod(month)]).toEqual(['$12.00', '/month'])
  expect([offerPrice(trial), offerPeriod(trial)]).toEqual(['Free', 'for 7 days'])
  expect(offerPeriod({ ...trial, durationDays: 30 })).toBe('for 30 days')
})

test('the texts of the specification', () => {
  expect(OFFER_LABELS.deploy).toBe('Instant Deploy')
  expect(OFFER_LABELS.active).toBe('Active Instance')
  expect((['buy', 'trial', 'deploy', 'active', 'none'] as const).map(isTakeable)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('a trial does not mention renewal', () => {
  expect(atTheEnd(trial)).toContain('cannot be renewed')
  expect(atTheEnd(month)).toContain('Renew it')
})
