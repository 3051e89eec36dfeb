import { describe, expect, test } from 'vitest'
import { daysLeftText, daysText, fractionLeft, timeAnnouncement } from './time-words.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('the announcement for screen readers', () => {
  test.each([
    [8 * DAY, ''],
    [7 * DAY + 1, ''],
    [7 * DAY, 'Less than 7 days left.'],
    [DAY + 1, 'Less than 7 days left.'],
    [DAY, 'Less than 1 day left.'],
    [HOUR, 'Less than 1 hour left.'],
    [1, 'Less than 1 hour left.'],
    [0, 'The time is over.'],
    [-5, 'The time is over.'],
  ])('with %i ms left', (left, words) => {
    expect(timeAnnouncement(left)).toBe(words)
  })
})

test('days are worded', () => {
  expect([0, 1, 30].map(daysLeftText)).toEqual(['Ended', '1 day left', '30 days left'])
  expect([1, 30].map(daysText)).toEqual(['1 day', '30 days'])
})

test('the bar stays within its frame', () => {
  expect(fractionLeft(15 * DAY, 30)).toBe(0.5)
  expect(fractionLeft(60 * DAY, 30)).toBe(1)
  expect(fractionLeft(-1, 30)).toBe(0)
  expect(fractionLeft(DAY, 0)).toBe(1)
})
