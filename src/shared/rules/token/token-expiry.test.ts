import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../time/durations.ts'
import {
  daysLeft,
  expiryBadge,
  expiryOf,
  isExpired,
  keptUntil,
  offersRenewal,
  renewedUntil,
} from './token-expiry.ts'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const inDays = (days: number, ms = 0) => new Date(NOW.getTime() + days * 86_400_000 + ms)

describe('the end', () => {
  test.each([
    // Across the changes to winter time in Europe and America, and to summer time.
    ['2026-10-20T00:30:00.000Z', 30, '2026-11-19T00:30:00.000Z'],
    ['2027-03-01T01:30:00.000Z', 30, '2027-03-31T01:30:00.000Z'],
    // Across a leap day, on a leap day, and across a turn of the year.
    ['2028-02-15T00:00:00.000Z', 30, '2028-03-16T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', 366, '2029-03-01T23:59:59.999Z'],
    ['2026-12-31T23:59:59.000Z', 1, '2027-01-01T23:59:59.000Z'],
  ])('%s and %i days is %s', (assignedAt, durationDays, expected) => {
    expect(expiryOf({ assignedAt, durationDays })?.toISOString()).toBe(expected)
  })

  test('is the stored one, else 30 days after the start, else unknown', () => {
    expect(expiryOf({ assignedAt: NOW, expiresAt: inDays(3) })).toEqual(inDays(3))
    expect(expiryOf({ assignedAt: NOW })).toEqual(inDays(30))
    expect(expiryOf({ assignedAt: null, durationDays: 5 })).toBeUndefined()
    expect(expiryOf({ assignedAt: 'nonsense' })).toBeUndefined()
  })

  test('is never early, not even by a millisecond', () => {
    const token = { expiresAt: NOW }
    expect(isExpired(token, inDays(0, -1))).toBe(false)
    expect(isExpired(token, NOW)).toBe(true)
    expect(isExpired({}, NOW)).toBe(false)
  })
})

test.each([
  [inDays(0, -1), 0],
  [NOW, 0],
  [inDays(0, 1), 1],
  [inDays(1), 1],
  [inDays(1, MINUTE_MS), 1],
  [inDays(1, MINUTE_MS + 1), 2],
  [inDays(5, 300), 5],
  [inDays(6, 23 * HOUR_MS), 7],
  [inDays(30), 30],
])('an end at %s leaves %i days', (expiresAt, expected) => {
  expect(daysLeft({ expiresAt }, NOW)).toBe(expected)
})

test.each([
  [0, 30, 'destructive'],
  [7, 30, 'destructive'],
  [8, 30, 'secondary'],
  [30, 30, 'secondary'],
  [31, 60, 'default'],
  [7, 7, 'secondary'],
  [4, 7, 'secondary'],
  [3, 7, 'destructive'],
  [2, 2, 'secondary'],
  [1, 1, 'destructive'],
])('%i days left of %i look %s', (days, duration, expected) =>
  expect(expiryBadge(days, duration)).toBe(expected),
)

test.each([
  ['assigned', '5.00', inDays(8), false],
  ['assigned', '5.00', inDays(7), true],
  ['assigned', '5.00', inDays(0), true],
  ['expired', '5.00', inDays(-3), true],
  ['assigned', '0.00', inDays(1), false],
  ['pending', '5.00', inDays(1), false],
  ['cancelled', '5.00', inDays(-1), false],
])('%s at %s, ending %s: renewal %s', (status, monthlyPrice, expiresAt, expected) => {
  expect(offersRenewal({ status, monthlyPrice, expiresAt }, NOW)).toBe(expected)
})

test.each([
  ['with time left, adds to it', inDays(5), 30, inDays(35)],
  ['in grace, begins now', inDays(-5), 30, inDays(30)],
  ['up to two years ahead', inDays(700), 30, inDays(730)],
  ['no further', inDays(701), 30, undefined],
  ['one long period is fine', inDays(-1), 3650, inDays(3650)],
])('a renewal %s', (_, expiresAt, durationDays, expected) => {
  expect(renewedUntil({ expiresAt, durationDays }, NOW)).toEqual(expected)
})

test.each([
  [inDays(0), null, inDays(7)],
  [inDays(20), inDays(1), inDays(8)],
  [inDays(-2), inDays(1), inDays(5)],
  [null, inDays(1), inDays(8)],
  [null, null, undefined],
])('expired %s, cancelled %s: kept until %s', (expiresAt, cancelledAt, expected) => {
  expect(keptUntil({ expiresAt, cancelledAt }, 7)).toEqual(expected)
})
