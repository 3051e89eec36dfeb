import { expect, test } from 'vitest'
import { knownLanguage } from './known-language.ts'

test.each([
  ['de-AT', 'de-AT'],
  ['en-US@posix', 'en-US'],
  ['C', 'en-US'],
])('a browser that reports %s is treated as %s', (given, used) => {
  const browser = Object.create({ language: given })
  knownLanguage(browser)
  expect(browser.language).toBe(used)
  expect(() => new Intl.NumberFormat(browser.language)).not.toThrow()
})
