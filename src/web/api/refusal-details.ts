import type { RequestOptions } from '#shared/api/people/webauthn.ts'
import { ApiError } from './api-error.ts'

export type OpenOrder = { id: number; planName: string }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const detailsOf = (error: unknown, code: string): Record<string, unknown> | undefined =>
  error instanceof ApiError && error.body?.code === code && isRecord(error.body.details)
    ? error.body.details
    : undefined

/** The order by which the caller already has this token, for example from another tab. */
export function ownOrderOf(error: unknown): number | undefined {
  const orderId = detailsOf(error, 'TOKEN_YOURS')?.orderId
  return typeof orderId === 'number' ? orderId : undefined
}

/** The unpaid orders that block another one. */
export function openOrdersOf(error: unknown): readonly OpenOrder[] {
  const orders = detailsOf(error, 'UNPAID_LIMIT')?.orders
  return Array.isArray(orders) ? orders.filter(isOpenOrder) : []
}

const isOpenOrder = (value: unknown): value is OpenOrder =>
  isRecord(value) && typeof value.id === 'number' && typeof value.planName === 'string'

/** What a passkey is to sign so that a sign-in goes on; undefined for an account without one. */
export function signInChallengeOf(error: unknown): RequestOptions | undefined {
  const passkey = detailsOf(error, 'SECOND_FACTOR_REQUIRED')?.passkey
  return isRecord(passkey) && typeof passkey.challenge === 'string'
    ? (passkey as RequestOptions)
    : undefined
}

/** The call needs a code of the second factor that was entered a short while ago. */
export const isProofMissing = (error: unknown): boolean =>
  detailsOf(error, 'SECOND_FACTOR_REQUIRED')?.reason === 'prove'
