import { expect, test } from 'vitest'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { type ActiveToken, activeBadge, tokenTitle, totalsOf } from './active-clients.ts'

const token = (proxmoxVmId: number | null, instance: object | null) =>
  ({ proxmoxVmId, instance }) as ActiveToken
const client = (activeTokens: ActiveToken[]) => ({ activeTokens }) as ActiveClient

test('counts clients that have tokens, and the tokens of all', () => {
  const one = token(1, null)
  expect(totalsOf([client([one, one]), client([]), client([one])])).toEqual({
    activeClients: 2,
    totalInstances: 3,
  })
})

test('one is singular', () => {
  expect(activeBadge(1)).toBe('1 Active Instance')
  expect(activeBadge(2)).toBe('2 Active Instances')
})

test.each([
  [token(104, { name: 'web', vmId: 104 }), 'web'],
  [token(104, { name: '', vmId: 105 }), 'VM-105'],
  [token(104, null), 'VM-104'],
  [token(null, null), 'No instance yet'],
])('%o is called %s', (one, title) => {
  expect(tokenTitle(one)).toBe(title)
})
