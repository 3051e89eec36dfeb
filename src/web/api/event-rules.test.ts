import { expect, test } from 'vitest'
import { isNews, retryAfter } from './event-rules.ts'

test('retries get rarer, up to one a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 99].map(retryAfter)).toEqual([
    3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000,
  ])
})

test.each([
  ['8', 7, true],
  ['7', 7, false],
  ['6', 7, false],
  ['', 7, true],
  ['x', 7, true],
])('event %j after %d is news: %s', (id, lastId, news) => {
  expect(isNews(id, lastId)).toBe(news)
})
