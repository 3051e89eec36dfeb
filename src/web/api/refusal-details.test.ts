import { expect, test } from 'vitest'
import type { ErrorCode } from '#shared/errors.ts'
import { ApiError } from './api-error.ts'
import { openOrdersOf, ownOrderOf, signInChallengeOf } from './refusal-details.ts'

const refused = (code: ErrorCode, details?: unknown) =>
  new ApiError(409, '409', { code, message: 'No.', ...(details === undefined ? {} : { details }) })

test('names the order by which the caller already has the server', () => {
  expect(ownOrderOf(refused('TOKEN_YOURS', { orderId: 7 }))).toBe(7)
  expect(ownOrderOf(refused('TOKEN_TAKEN', { orderId: 7 }))).toBeUndefined()
  expect(ownOrderOf(refused('TOKEN_YOURS', { orderId: '7' }))).toBeUndefined()
  expect(ownOrderOf(new Error('no'))).toBeUndefined()
})

test('names the unpaid orders that block another one', () => {
  const orders = [{ id: 3, planName: 'Small' }]
  expect(openOrdersOf(refused('UNPAID_LIMIT', { orders: [...orders, { id: 'x' }] }))).toEqual(
    orders,
  )
  expect(openOrdersOf(refused('UNPAID_LIMIT'))).toEqual([])
  expect(openOrdersOf(refused('SOLD_OUT', { orders }))).toEqual([])
})

test('names what a passkey is to sign so that a sign-in goes on', () => {
  const passkey = { challenge: 'abc', rpId: 'shop.example' }
  expect(signInChallengeOf(refused('SECOND_FACTOR_REQUIRED', { passkey }))).toEqual(passkey)
  expect(signInChallengeOf(refused('SECOND_FACTOR_REQUIRED', { passkey: {} }))).toBeUndefined()
  expect(signInChallengeOf(refused('SECOND_FACTOR_REQUIRED'))).toBeUndefined()
  expect(signInChallengeOf(refused('FORBIDDEN', { passkey }))).toBeUndefined()
})
