import { expect, test } from 'vitest'
import { relativeTime, timeLeft } from './time.ts'

const now = Date.UTC(2026, 0, 15, 12)
const ago = (seconds: number) => relativeTime(new Date(now - seconds * 1000), now)

test.each([
  [0, 'just now'],
  [30, 'just now'],
  [50, '1 minute ago'],
  [59 * 60, '59 minutes ago'],
  [3600, '1 hour ago'],
  [23 * 3600, '23 hours ago'],
  [24 * 3600, 'yesterday'],
  [12 * 86_400, '12 days ago'],
  [90 * 86_400, '3 months ago'],
  [800 * 86_400, '2 years ago'],
  [-2 * 86_400, 'in 2 days'],
  [-(6 * 86_400 + 23 * 3600), 'in 7 days'],
  [-(86_400 + 3600), 'in 2 days'],
])('%d seconds before now is %s', (seconds, words) => {
  expect(ago(seconds)).toBe(words)
})

test('time left never goes below zero', () => {
  const left = { days: 1, hours: 2, minutes: 3, seconds: 4 }
  expect(timeLeft(now + 93_784_000, now)).toEqual(left)
  expect(timeLeft(now - 1, now)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0 })
})
