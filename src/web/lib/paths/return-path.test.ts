import { expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

test.each([
  ['/users', '/users'],
  ['/settings?tab=audit#top', '/settings?tab=audit#top'],
  ['/pricing?plan=a%26b', '/pricing?plan=a%26b'],
])('%s is a valid return path', (next, path) => {
  expect(returnPath(next)).toBe(path)
})

test.each([
  null,
  undefined,
  '',
  'users',
  'https://evil.example/users',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  'javascript:alert(1)',
  '/login?next=/users',
  '/register',
])('%j leads to the start page', (next) => {
  expect(returnPath(next)).toBe('/')
})
