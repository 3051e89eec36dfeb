import { expect, test } from 'vitest'
import { cardSentence, uptimeOf } from './card-words.ts'

test('a running server shows its uptime, also in its first minute', () => {
  expect(uptimeOf({ status: 'running', uptime: 3_660 })).toBe('1h 1m')
  expect(uptimeOf({ status: 'running', uptime: 0 })).toBe('Just started')
  expect(uptimeOf({ status: 'stopped', uptime: 3_660 })).toBe('Offline')
  expect(uptimeOf({ status: 'unknown', uptime: 3_660 })).toBe('Not known')
})

test('an unknown state is not called a failure of the server', () => {
  expect(cardSentence('running')).toBeUndefined()
  expect(cardSentence('unknown')).toContain('keeps running')
})
