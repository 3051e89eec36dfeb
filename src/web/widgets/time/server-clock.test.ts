import { expect, test } from 'vitest'
import { clockOffset } from './server-clock.ts'

const received = Date.parse('2026-03-01T12:00:00.000Z')

test('a wrong clock is corrected', () => {
  expect(clockOffset('2026-03-01T12:05:00.000Z', received)).toBe(300_000)
  expect(clockOffset('2026-03-01T11:59:59.000Z', received)).toBe(-1_000)
})

test('a missing or unreadable answer corrects nothing', () => {
  expect(clockOffset(undefined, received)).toBe(0)
  expect(clockOffset('yesterday', received)).toBe(0)
})
