import { expect, test } from 'vitest'
import { barsOf, busiest, HEIGHT } from './bars.ts'

const day = (date: string, inBytes: number, outBytes: number) => ({ day: date, inBytes, outBytes })
const DAYS = [day('2026-11-15', 0, 0), day('2026-11-16', 30, 10), day('2026-11-17', 20, 60)]

test('the highest bar fills the drawing, and the others are in proportion', () => {
  const { bars } = barsOf(DAYS)
  expect(bars.map(({ inHeight, outHeight }) => (inHeight + outHeight) / HEIGHT)).toEqual([
    0, 0.5, 1,
  ])
  expect(bars[1]?.inHeight).toBe(HEIGHT * (30 / 80))
})

test('nothing has no height', () => {
  expect(barsOf([day('2026-11-17', 0, 0)]).bars).toMatchObject([{ inHeight: 0, outHeight: 0 }])
  expect(barsOf([]).bars).toEqual([])
})

test('the busiest day is the one with most of both directions', () => {
  expect(busiest(DAYS)).toEqual(DAYS[2])
  expect(busiest([day('2026-11-17', 0, 0)])).toBeUndefined()
})
