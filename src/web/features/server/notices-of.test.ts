import { expect, test } from 'vitest'
import type { Server } from '#shared/api/overview/servers.ts'
import { noticesOf } from './notices-of.ts'

const QUIET = {
  jobs: [],
  cd: null,
  transfer: null,
  isLoginPending: false,
  suspended: null,
  term: 'assigned',
  status: 'running',
  daysWithoutBackup: null,
  traffic: { level: 0 },
  failure: null,
}
const kinds = (given: object) => noticesOf({ ...QUIET, ...given } as unknown as Server)

test('of a server with which all is well there is nothing to say', () => {
  expect(kinds({})).toEqual([])
  expect(kinds({ term: null, status: 'stopped' })).toEqual([])
})

test.each([
  ['jobs', { jobs: [{ id: 'a' }] }],
  ['cd', { cd: 'rescue' }],
  ['transfer', { transfer: { expiresAt: '' } }],
  ['transfer', { isLoginPending: true }],
  ['suspended', { suspended: { reason: 'Spam' } }],
  ['ended', { term: 'expired' }],
  ['ended', { term: 'cancelled' }],
  ['missing', { status: 'missing' }],
  ['unknown', { status: 'unknown' }],
  ['backup', { daysWithoutBackup: 9 }],
  ['traffic', { traffic: { level: 80 } }],
  ['failure', { failure: 'It did not react.' }],
])('%s is said on account of %j', (kind, given) => {
  expect(kinds(given)).toEqual([kind])
})

test('what is under way comes first, and a past failure last', () => {
  expect(kinds({ failure: 'No.', status: 'unknown', jobs: [{ id: 'a' }] })).toEqual([
    'jobs',
    'unknown',
    'failure',
  ])
})
