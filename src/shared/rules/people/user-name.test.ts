import { expect, test } from 'vitest'
import { userName } from './user-name.ts'

const unnamed = { firstName: null, lastName: null, email: null, username: null }

test.each([
  [{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' }, 'Ada Lovelace'],
  [{ firstName: 'Ada', email: 'ada@example.org' }, 'Ada'],
  [{ email: 'ada@example.org', username: '1234567' }, 'ada@example.org'],
  [{ username: '1234567' }, '1234567'],
  [{}, 'Unnamed account'],
])('%j is called %s', (known, name) => {
  expect(userName({ ...unnamed, ...known })).toBe(name)
})
