import { expect, test } from 'vitest'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { findUsers } from './find-users.ts'

const user = (id: number, known: Partial<ManagedUser>): ManagedUser => ({
  id,
  username: null,
  firstName: null,
  lastName: null,
  email: null,
  mobileNumber: null,
  role: 'client',
  isActive: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  hasDevice: false,
  isLookAlike: false,
  registeredFrom: null,
  hasSecondFactor: false,
  ...known,
})

const users = [
  user(1, { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' }),
  user(2, { username: '1234567' }),
]

test.each([
  ['', [1, 2]],
  ['  ', [1, 2]],
  ['345', [2]],
  ['love ADA', [1]],
  ['nobody', []],
])('%j finds %j', (text, ids) => {
  expect(findUsers(users, text).map(({ id }) => id)).toEqual(ids)
})
