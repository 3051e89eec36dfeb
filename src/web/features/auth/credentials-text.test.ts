import { expect, test } from 'vitest'
import { credentialsText, groupsOf, typedUsername } from './credentials-text.ts'

test('the text names its purpose and contains both strings unchanged', () => {
  expect(credentialsText('Hushbox', { username: '1234567', generatedPassword: 'AB-CD' })).toBe(
    'Hushbox\nUsername: 1234567\nPassword: AB-CD\n',
  )
})

test.each([
  ['1234567', ['123', '4567']],
  ['ABCDE-FGHIJ-K', ['ABCDE-FGHIJ-K']],
  ['ABCDEFGHIJKL', ['ABCDE', 'FGHIJ', 'KL']],
  ['', ['']],
])('%j is shown as %j', (value, groups) => {
  expect(groupsOf(value)).toEqual(groups)
  expect(groupsOf(value).join('')).toBe(value)
})

test.each([
  [' 562 7373 ', '5627373'],
  [' ada@example.org', 'ada@example.org'],
  ['ada lovelace', 'ada lovelace'],
  ['', ''],
])('%j is read as %j', (text, username) => {
  expect(typedUsername(text)).toBe(username)
})
