import { expect, test } from 'vitest'
import type { Token } from '#shared/api/shop/tokens.ts'
import { ApiError } from '../../../api/api-error.ts'
import { createdNotice, duplicateFailure, failedTo } from './token-notices.ts'

const refused = (details?: unknown) =>
  new ApiError(409, '409: …', { code: 'CONFLICT', message: 'The address is taken', details })

test('a failure shows the sentence of the specification and the reason', () => {
  expect(failedTo('Failed to update token')(refused()).description).toBe(
    'Failed to update token: The address is taken',
  )
  expect(failedTo('Failed to delete token')(new ApiError(502, '502: Bad')).description).toBe(
    'Failed to delete token',
  )
})

test('a failed copy shows message and details', () => {
  expect(duplicateFailure(refused('203.0.113.24')).description).toBe(
    'The address is taken: 203.0.113.24',
  )
  expect(duplicateFailure(refused()).description).toBe('The address is taken')
  expect(duplicateFailure(refused([{ path: 'x' }])).description).toBe('The address is taken')
  expect(duplicateFailure(new Error('')).description).toBe('Failed to duplicate token')
})

test('a free token is announced as a trial', () => {
  expect(createdNotice({} as Token)).toEqual({ title: 'Token created successfully' })
  expect(createdNotice({ isFreeTrial: true } as Token & { isFreeTrial: boolean })).toEqual({
    title: 'Free Trial Token Created',
    description: 'Free trial token created successfully - no payment required',
  })
})
