import { expect, test } from 'vitest'
import { forecast } from './backup-forecast.ts'

const daily = { every: 'day', keep: 5, made: 2, sizeBytes: 10 } as const
const weekly = { every: 'week', keep: 3, made: 1, sizeBytes: 10 } as const

test('a storage with room for what the schedules keep, and one more, does not fill', () => {
  expect(forecast([daily, weekly], 60)).toEqual({ comingBytes: 50, fullInDays: null })
  expect(forecast([], 0)).toEqual({ comingBytes: 0, fullInDays: null })
})

test('it is said in how many days the rest is used up', () => {
  expect(forecast([daily], 39)).toEqual({ comingBytes: 30, fullInDays: 3 })
  expect(forecast([weekly], 25)).toEqual({ comingBytes: 20, fullInDays: 14 })
  expect(forecast([daily, weekly], 59)).toEqual({ comingBytes: 50, fullInDays: 14 })
  expect(forecast([daily], 5)).toEqual({ comingBytes: 30, fullInDays: 0 })
})

test('schedules that have all they keep only replace', () => {
  expect(forecast([{ ...daily, made: 7 }], 10)).toEqual({ comingBytes: 0, fullInDays: null })
})
