import { expect, test } from 'vitest'
import { simulateRefusal } from './simulation.ts'

test.each([
  ['client', true, undefined],
  ['client', false, 'Only active users can be simulated.'],
  ['admin', true, 'Cannot simulate admin'],
  ['admin', false, 'Cannot simulate admin'],
] as const)('%s, active %s: %s', (role, isActive, refusal) => {
  expect(simulateRefusal({ role, isActive })).toBe(refusal)
})
