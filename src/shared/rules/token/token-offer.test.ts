import { expect, test } from 'vitest'
import { claimCallOf, offerOf } from './token-offer.ts'

test.each([
  ['available', '5.00', 'buy', 'purchase'],
  ['available', '0.00', 'trial', 'trial'],
  ['available', '0', 'trial', 'trial'],
  ['available', '0.01', 'buy', 'purchase'],
  ['ready', '5.00', 'deploy', 'purchase'],
  ['ready', '0.00', 'deploy', 'trial'],
  ['assigned', '5.00', 'active', 'purchase'],
  ['pending', '5.00', 'none', 'purchase'],
  ['expired', '0.00', 'none', 'trial'],
  ['cancelled', '5.00', 'none', 'purchase'],
] as const)('%s at %s offers %s by %s', (status, monthlyPrice, offer, call) => {
  expect(offerOf({ status, monthlyPrice })).toBe(offer)
  expect(claimCallOf({ monthlyPrice })).toBe(call)
})
