import { expect, test } from 'vitest'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { inOrder, isEndingSoon, lookAgainAfter } from './token-look.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')
const token = (given: Partial<ClientToken>): ClientToken => ({
  id: 1,
  tokenId: 'tok',
  name: 'quiet-harbour',
  label: 'quiet-harbour',
  status: 'assigned',
  tokenType: 'ip_mac',
  osType: 'Debian 12',
  durationDays: 30,
  monthlyPrice: '5.00',
  ipAddress: '203.0.113.24',
  clientIpAddress: null,
  macAddress: null,
  domain: null,
  username: 'debian',
  password: 'secret',
  proxmoxVmId: 101,
  assignedUserId: 1,
  assignedInstanceId: 1,
  assignedAt: '2026-02-10T12:00:00.000Z',
  expiresAt: '2026-03-12T12:00:00.000Z',
  createdAt: '2026-02-01T12:00:00.000Z',
  job: null,
  suspended: null,
  autoRenew: false,
  keptUntil: null,
  ...given,
})
const job = {
  id: 'a',
  kind: 'provision',
  title: '',
  state: 'running',
  step: 'clone',
  progress: 0,
  error: null,
  startedAt: '2026-11-15T12:00:00Z',
} as const

test('an idle list is not read again', () => {
  expect(lookAgainAfter(undefined, now, 3000)).toBe(false)
  expect(lookAgainAfter([token({})], now, 3000)).toBe(false)
  expect(lookAgainAfter([token({ job: { ...job, state: 'failed' } })], now, 3000)).toBe(false)
})

test('a job is polled at the pace of jobs', () => {
  expect(lookAgainAfter([token({ job })], now, 3000)).toBe(3000)
  expect(lookAgainAfter([token({ status: 'pending', expiresAt: null })], now, 3000)).toBe(3000)
})

test('at zero the server is polled until it reports the end', () => {
  const over = token({ expiresAt: '2026-03-01T12:00:00.000Z' })
  expect(lookAgainAfter([over], now, 3000)).toBe(2000)
  expect(lookAgainAfter([over], now - 1, 3000)).toBe(false)
  expect(lookAgainAfter([{ ...over, status: 'expired' }], now, 3000)).toBe(false)
})

test('servers in progress come first, ended ones last', () => {
  const list = [
    token({ id: 1, status: 'cancelled' }),
    token({ id: 2 }),
    token({ id: 3, assignedAt: '2026-02-20T12:00:00.000Z' }),
    token({ id: 4, status: 'pending' }),
    token({ id: 5, status: 'expired' }),
  ]
  expect(inOrder(list).map(({ id }) => id)).toEqual([4, 3, 2, 5, 1])
})

test.each([
  [7, '2026-03-08T12:00:00.000Z', false],
  [7, '2026-03-04T12:00:00.000Z', true],
  [30, '2026-03-08T12:00:00.000Z', true],
  [30, '2026-03-09T12:00:00.000Z', false],
])('a term of %i days that ends at %s warns: %s', (durationDays, expiresAt, expected) => {
  expect(isEndingSoon(token({ durationDays, expiresAt }), now)).toBe(expected)
})
