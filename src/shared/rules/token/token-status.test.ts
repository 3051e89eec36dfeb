import { expect, test } from 'vitest'
import {
  canMoveToken,
  isStock,
  statesBefore,
  stockStatus,
  type TokenStatus,
  tokenRefusal,
} from './token-status.ts'

const ALL: TokenStatus[] = ['available', 'ready', 'pending', 'assigned', 'expired', 'cancelled']

/** from → every state it may become */
const TABLE: Record<TokenStatus, TokenStatus[]> = {
  available: ['pending', 'cancelled'],
  ready: ['pending', 'cancelled'],
  pending: ['available', 'ready', 'assigned', 'cancelled'],
  assigned: ['assigned', 'expired', 'cancelled'],
  expired: ['assigned', 'cancelled'],
  cancelled: ['available', 'ready', 'assigned', 'expired'],
}

test.each(Object.entries(TABLE))('%s', (from, expected) => {
  const status = from as TokenStatus
  expect(ALL.filter((to) => canMoveToken(status, to))).toEqual(
    ALL.filter((to) => expected.includes(to)),
  )
  for (const to of ALL) {
    expect(tokenRefusal(status, to) === undefined).toBe(expected.includes(to))
  }
})

test('a refusal names the state of the token', () => {
  expect(tokenRefusal('pending', 'pending')).toBe('The token is being prepared for a client.')
  expect(tokenRefusal('assigned', 'pending')).toBe('The token is in use.')
  expect(tokenRefusal('cancelled', 'pending')).toBe('The token is cancelled.')
})

test('only stock can be claimed, and only a held token can be given up', () => {
  expect(statesBefore('pending')).toEqual(['available', 'ready'])
  expect(ALL.filter(isStock)).toEqual(['available', 'ready'])
  expect(statesBefore('expired')).toEqual(['assigned', 'cancelled'])
})

test('the type decides the state in which a token starts', () => {
  expect([stockStatus('ip_mac'), stockStatus('ready')]).toEqual(['available', 'ready'])
})
