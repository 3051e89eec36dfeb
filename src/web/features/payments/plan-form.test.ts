import { expect, test } from 'vitest'
import { bodyOf, checkPlan, EMPTY_PLAN } from './plan-form.ts'

test('features are the non-empty lines', () => {
  expect(bodyOf({ ...EMPTY_PLAN, features: ' One \n\nTwo\n' }).features).toEqual(['One', 'Two'])
})

test('name and price are required', () => {
  const found = checkPlan(EMPTY_PLAN).error?.issues.map(({ path }) => path[0])
  expect(found).toEqual(['name', 'monthlyPrice'])
  expect(checkPlan({ ...EMPTY_PLAN, name: 'Basic', monthlyPrice: '5' }).success).toBe(true)
})
