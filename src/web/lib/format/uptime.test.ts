import { expect, test } from 'vitest'
import { uptimeOf, uptimeWords } from './uptime.ts'

test.each([
  [null, undefined],
  [0, undefined],
  [30, '0m'],
  [125, '2m'],
  [3_600, '1h 0m'],
  [93_784, '1d 2h 3m'],
  [86_400, '1d 0h 0m'],
])('%s seconds are %s', (seconds, words) => {
  expect(uptimeWords(seconds)).toBe(words)
})

test('a running server shows its uptime, also in its first minute', () => {
  expect(uptimeOf({ status: 'running', uptime: 3_660 })).toBe('1h 1m')
  expect(uptimeOf({ status: 'running', uptime: 0 })).toBe('Just started')
  expect(uptimeOf({ status: 'stopped', uptime: 3_660 })).toBe('Offline')
  expect(uptimeOf({ status: 'unknown', uptime: 3_660 })).toBe('Not known')
})
