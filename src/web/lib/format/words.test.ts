import { expect, test } from 'vitest'
import { count, sentenceCase } from './words.ts'

test.each([
  ['audit_log', 'Audit log'],
  ['user.password-reset', 'User password reset'],
  ['', ''],
])('%j reads %j', (name, words) => {
  expect(sentenceCase(name)).toBe(words)
})

test('one is singular', () => {
  expect(count(1, 'account')).toBe('1 account')
  expect(count(1200, 'account')).toBe('1,200 accounts')
})
