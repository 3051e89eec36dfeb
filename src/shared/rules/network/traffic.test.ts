import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../time/durations.ts'
import {
  gbText,
  mbitText,
  quotaBytes,
  rateOf,
  trafficLevel,
  UNLIMITED,
  usedBytes,
} from './traffic.ts'
import { trafficPeriod } from './traffic-period.ts'

describe('traffic', () => {
  test.each([
    [0, 100, 0],
    [79.9, 100, 0],
    [80, 100, 80],
    [99.9, 100, 80],
    [100, 100, 100],
    [500, 100, 100],
    [1e15, null, 0],
    [0, 0, 100],
  ])('of %d with a quota of %d is at level %d', (used, quota, level) => {
    expect(trafficLevel(used, quota)).toBe(level)
  })

  test('is counted as the package says', () => {
    expect(usedBytes({ inBytes: 3, outBytes: 4 }, 'both')).toBe(7)
    expect(usedBytes({ inBytes: 3, outBytes: 4 }, 'out')).toBe(4)
  })

  test('without a quota is unlimited, and a quota of 0 is none', () => {
    expect(quotaBytes({ trafficGb: null })).toBeNull()
    expect(quotaBytes({ trafficGb: 0 })).toBe(0)
    expect(quotaBytes({ trafficGb: 250 })).toBe(250e9)
  })

  test.each([
    [null, 80, null],
    [null, 100, 10],
    [500, 0, 500],
    [500, 100, 10],
    [5, 100, 5],
  ] as const)('of a rate of %s at level %d passes at %s', (rateMbit, level, rate) => {
    expect(rateOf({ ...UNLIMITED, rateMbit }, level)).toBe(rate)
  })

  test('is worded as in a shop', () => {
    expect([mbitText(100), mbitText(1000), mbitText(2500)]).toEqual([
      '100 Mbit/s',
      '1 Gbit/s',
      '2.5 Gbit/s',
    ])
    expect([gbText(0), gbText(250), gbText(2000)]).toEqual(['0 GB', '250 GB', '2 TB'])
  })
})

describe('the period in which traffic is counted', () => {
  const start = new Date('2026-11-01T06:00:00Z')
  const later = (ms: number) => new Date(start.getTime() + ms)
  const term = { assignedAt: start, expiresAt: later(30 * DAY_MS), durationDays: 30 }
  const first = { from: start, to: later(30 * DAY_MS) }

  test.each([
    ['its first moment', 0, first],
    ['its last', 30 * DAY_MS - 1, first],
    ['the next one', 30 * DAY_MS, { from: first.to, to: later(60 * DAY_MS) }],
  ])('begins anew with each term: %s', (_, ms, period) => {
    expect(trafficPeriod(term, later(ms))).toEqual(period)
  })

  test('does not change when the server is renewed early', () => {
    const renewed = { ...term, expiresAt: later(90 * DAY_MS) }
    expect(trafficPeriod(renewed, later(9 * DAY_MS))).toEqual(first)
  })

  test('begins with a late renewal', () => {
    const renewed = { ...term, expiresAt: later(64 * DAY_MS) }
    expect(trafficPeriod(renewed, later(34 * DAY_MS + HOUR_MS))).toEqual({
      from: later(34 * DAY_MS),
      to: later(64 * DAY_MS),
    })
  })

  test('is the month where there is no term', () => {
    expect(trafficPeriod(null, new Date('2026-12-31T23:59:59Z'))).toEqual({
      from: new Date('2026-12-01T00:00:00Z'),
      to: new Date('2027-01-01T00:00:00Z'),
    })
  })
})
