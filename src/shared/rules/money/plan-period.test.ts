import { expect, test } from 'vitest'
import { planPeriod } from './plan-period.ts'

test.each([
  ['Trial', '/7 days'],
  ['Free trial VPS', '/7 days'],
  ['TRIAL', '/7 days'],
  ['Starter', '/month'],
])('%s costs its price %s', (name, period) => {
  expect(planPeriod(name)).toBe(period)
})
