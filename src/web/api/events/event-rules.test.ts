import { expect, test } from 'vitest'
import { newsFilter, retryAfter } from './event-rules.ts'

test('retries get rarer, down to one a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 99].map(retryAfter)).toEqual([
    3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000,
  ])
})

test('an event counts as new once, also when a smaller id arrives after a larger one', () => {
  const isNews = newsFilter()
  expect(['8', '7', '8', '7', '9'].map(isNews)).toEqual([true, true, false, false, true])
})

test('an event without an id always counts as new', () => {
  const isNews = newsFilter()
  expect([isNews(''), isNews('')]).toEqual([true, true])
})

test('old event ids are forgotten', () => {
  const isNews = newsFilter()
  for (let id = 0; id <= 1000; id += 1) isNews(String(id))
  expect([isNews('1000'), isNews('0')]).toEqual([false, true])
})
