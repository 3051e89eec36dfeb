import { expect, test } from 'vitest'
import { retryAfter, wordsOf } from './ending-words.ts'

test.each([
  [4000, true, 'The server was shut down', 'start'],
  [4000, false, 'The server is off', 'start'],
  [4001, false, 'The console did not open', 'connect'],
  [4002, true, 'The console was closed', 'sign-in'],
  [4003, true, 'The console was closed', 'connect'],
  [4004, false, 'Too many consoles are open', 'connect'],
  [4005, false, 'The screen cannot be reached', 'connect'],
  [4006, true, 'The screen was interrupted', 'connect'],
  [1006, true, 'The connection was lost', 'connect'],
])('%i, open before: %s', (code, wasOpen, title, next) => {
  const words = wordsOf({ code, reason: 'A reason.', wasOpen })
  expect(words).toMatchObject({ title, next })
  expect(words.text).toMatch(/\.$/)
})

test('the server’s own reason is shown where it has one', () => {
  for (const code of [4001, 4004, 4005, 1006]) {
    expect(wordsOf({ code, reason: 'A reason.', wasOpen: false }).text).toBe('A reason.')
  }
})

test('a passing failure is retried a few times, at growing intervals', () => {
  const passing = wordsOf({ code: 4006, reason: '', wasOpen: true })
  const waits = Array.from({ length: 6 }, (_, tries) => retryAfter(passing, tries))
  expect(waits).toEqual([1000, 2000, 5000, 10_000, undefined, undefined])
})

test.each([4000, 4001, 4002, 4003, 4004])('%i is not retried automatically', (code) => {
  expect(retryAfter(wordsOf({ code, reason: '', wasOpen: true }), 0)).toBeUndefined()
})
