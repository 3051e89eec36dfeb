import { expect, test } from 'vitest'
import { osTypeWords } from './os-type.ts'

test.each([
  ['l26', 'Linux'],
  ['win11', 'Windows 11'],
  ['other', 'Other'],
  ['haiku', 'haiku'],
])('%s is called %s', (type, words) => {
  expect(osTypeWords(type)).toBe(words)
})
