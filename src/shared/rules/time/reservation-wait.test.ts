import { expect, test } from 'vitest'
import { MINUTE_MS } from './durations.ts'
import { reservationWait } from './reservation-wait.ts'

test('each unpaid reservation makes the next one wait longer', () => {
  const minutes = [0, 1, 2, 3, 4, 5, 99].map((lapses) => reservationWait(lapses) / MINUTE_MS)
  expect(minutes).toEqual([0, 1, 5, 15, 60, 240, 240])
})
