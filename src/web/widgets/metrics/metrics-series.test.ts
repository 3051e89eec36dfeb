import { describe, expect, test } from 'vitest'
import { CHARTS, chartsOf, columnsOf, isPeriod, latestOf, topOf } from './metrics-series.ts'

const point = (minute: number, cpuUsage: number | null, memoryUsed: number | null = null) => ({
  at: `2026-01-01T00:0${minute}:00.000Z`,
  cpuUsage,
  memoryUsed,
  memoryTotal: 4096,
  netIn: null,
  netOut: null,
  diskRead: null,
  diskWrite: null,
})

const chart = (title: string) => {
  const found = CHARTS.find((one) => one.title === title)
  if (!found) throw new Error(title)
  return found
}

describe('the columns of a chart', () => {
  test('are seconds, then figures, with gaps kept', () => {
    const points = [point(0, 0.1), point(1, null)]
    expect(columnsOf(points, chart('CPU').lines)).toEqual([
      [1_767_225_600, 1_767_225_660],
      [0.1, null],
    ])
  })

  test('reach up to the total', () => {
    expect(topOf([point(0, 0.1, 1024)], chart('CPU'))).toBe(1)
    expect(topOf([point(0, 0.1, 1024)], chart('Memory'))).toBe(4096)
    expect(topOf([point(0, 0.1)], chart('Disk'))).toBe(1)
  })

  test('leave space above a peak, so that it is not cut off', () => {
    expect(topOf([point(0, 1.2)], chart('CPU'))).toBeGreaterThan(1.2)
    expect(topOf([{ ...point(0, 0), netIn: 500 }], chart('Network'))).toBeGreaterThan(500)
  })
})

test('a total alone is not a figure', () => {
  expect(chartsOf([point(0, null)])).toEqual([])
  expect(chartsOf([point(0, 0)]).map(({ title }) => title)).toEqual(['CPU'])
})

test('the latest figure skips gaps', () => {
  expect(latestOf([point(0, 0.2), point(1, null)], 'cpuUsage')).toBe(0.2)
  expect(latestOf([], 'cpuUsage')).toBeNull()
})

test('a period is one of four', () => {
  expect(['hour', 'day', 'week', 'month'].every(isPeriod)).toBe(true)
  expect(isPeriod('year')).toBe(false)
})
