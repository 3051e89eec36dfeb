import { expect, test } from 'vitest'
import { forecastText, spaceText } from './storage-words.ts'

const GIB = 1024 ** 3

test('the space of a storage is told, also while its cluster does not answer', () => {
  const space = { usedBytes: 812 * GIB, totalBytes: 2048 * GIB, oursBytes: 6.5 * GIB, count: 1 }
  expect(spaceText(space)).toBe('812 GiB of 2 TiB used. 6.5 GiB in 1 backup.')
  expect(spaceText({ ...space, usedBytes: null })).toContain('does not say now')
})

test('a forecast says what is needed and when it is too much', () => {
  expect(forecastText(0, null)).toBe('The schedules have all they keep.')
  expect(forecastText(5 * GIB, null)).toBe('The schedules need 5 GiB more at most.')
  expect(forecastText(5 * GIB, 3)).toContain('It is full in about 3 days.')
  expect(forecastText(5 * GIB, 0)).toContain('It is full now.')
})
