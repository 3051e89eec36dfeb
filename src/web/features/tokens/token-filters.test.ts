import { expect, test } from 'vitest'
import type { Token } from '#shared/api/shop/tokens.ts'
import { passes } from './token-filters.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const token = (fields: Partial<Token>) =>
  ({ status: 'assigned', assignedUserId: 7, expiresAt: null, ...fields }) as Token

test('the filter for tokens that expire soon covers a week and excludes expired ones and stock', () => {
  const soon = (expiresAt: string | null, status: Token['status'] = 'assigned') =>
    passes('expiring', token({ expiresAt, status }), NOW)
  expect(soon('2026-03-08T12:00:00Z')).toBe(true)
  expect(soon('2026-03-08T12:00:01Z')).toBe(false)
  expect(soon('2026-03-01T11:59:00Z')).toBe(false)
  expect(soon('2026-03-03T12:00:00Z', 'expired')).toBe(false)
  expect(soon(null)).toBe(false)
})

test('the filter for tokens on sale excludes tokens that have an owner', () => {
  const isForSale = (fields: Partial<Token>) => passes('for-sale', token(fields), NOW)
  expect(isForSale({ status: 'available', assignedUserId: null })).toBe(true)
  expect(isForSale({ status: 'ready', assignedUserId: 7 })).toBe(false)
  expect(isForSale({ status: 'assigned' })).toBe(false)
  expect(passes(undefined, token({}), NOW)).toBe(true)
})

test('the filter for ready servers that cannot be sold excludes sellable, sold and template tokens', () => {
  const ready: Partial<Token> = { tokenType: 'ready', status: 'ready', assignedUserId: null }
  const isStuck = (fields: Partial<Token>) =>
    passes('not-sellable', token({ ...ready, problem: 'No password.', ...fields }), NOW)
  expect(isStuck({})).toBe(true)
  expect(isStuck({ problem: null })).toBe(false)
  expect(isStuck({ tokenType: 'ip_mac' })).toBe(false)
  expect(isStuck({ assignedUserId: 7 })).toBe(false)
})
