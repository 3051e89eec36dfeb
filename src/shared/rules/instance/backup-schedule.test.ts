import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../time/durations.ts'
import {
  type BackupWindow,
  daysWithoutBackup,
  nextTurn,
  scheduleRefusal,
  spreadOf,
} from './backup-schedule.ts'
import { takenPlaces } from './backups.ts'

const NIGHT: BackupWindow = { from: 22, hours: 8, weekday: null }
const at = (text: string) => new Date(`2026-11-${text}Z`)

describe('the turn of a server', () => {
  test('is inside its window, on every day and also across midnight', () => {
    for (let instanceId = 1; instanceId < 200; instanceId += 1) {
      const turn = nextTurn({ every: 'day', window: NIGHT }, { instanceId, after: at('17T22:00') })
      const since = turn.getTime() - at('17T22:00').getTime()
      expect(since).toBeGreaterThanOrEqual(0)
      expect(since).toBeLessThan(8 * HOUR_MS)
    }
  })

  test('comes once in each period, at the same time', () => {
    for (const [every, period] of [
      ['day', DAY_MS],
      ['week', 7 * DAY_MS],
    ] as const) {
      const rule = { every, window: { ...NIGHT, weekday: 'Sunday' as const } }
      const first = nextTurn(rule, { instanceId: 7, after: at('17T12:00') })
      const second = nextTurn(rule, { instanceId: 7, after: first })
      expect(second.getTime() - first.getTime()).toBe(period)
      const before = new Date(first.getTime() - 1)
      expect(nextTurn(rule, { instanceId: 7, after: before })).toEqual(first)
    }
  })

  test('of a week is in a window that opens on its day', () => {
    const rule = { every: 'week', window: { ...NIGHT, weekday: 'Sunday' } } as const
    // 22 November 2026 is a Sunday.
    const turn = nextTurn(rule, { instanceId: 3, after: at('17T12:00') }).getTime()
    expect(turn).toBeGreaterThanOrEqual(at('22T22:00').getTime())
    expect(turn).toBeLessThan(at('23T06:00').getTime())
  })

  test('is spread: of a thousand servers each tenth of the window has a tenth', () => {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let id = 1; id <= 1000; id += 1) {
      const tenth = Math.floor(spreadOf(id) * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const count of tenths) expect(Math.abs(count - 100)).toBeLessThan(5)
  })
})

test('a schedule keeps at most what the package has, beside those that stay', () => {
  const places = { limit: 3, held: 0, hasStorage: true }
  expect(scheduleRefusal(3, places)).toBeUndefined()
  expect(scheduleRefusal(4, places)).toBe('This package has 3 backups. Keep at most 3.')
  expect(scheduleRefusal(2, { ...places, held: 1 })).toBeUndefined()
  expect(scheduleRefusal(3, { ...places, held: 1 })).toBe(
    '1 of the 3 backups of this package are made by hand or protected. Keep at most 2, or delete one of them first.',
  )
  expect(scheduleRefusal(1, { ...places, held: 3 })).toContain('Delete one of them first.')
  expect(scheduleRefusal(1, { ...places, limit: 0 })).toBe('Backups are not part of this package.')
  expect(scheduleRefusal(1, { ...places, hasStorage: false })).toContain('not set up here')
})

test('a schedule has its places from the start, and the last backup takes none', () => {
  const one = (origin: 'end' | 'hand' | 'schedule', isProtected = false) => ({
    origin,
    isProtected,
  })
  expect(takenPlaces([], 2)).toBe(2)
  expect(takenPlaces([one('schedule')], 2)).toBe(2)
  expect(takenPlaces([one('schedule'), one('schedule'), one('schedule')], 2)).toBe(3)
  expect(takenPlaces([one('hand'), one('schedule', true), one('end')], 2)).toBe(4)
})

test('a server without a backup is named after two days, nine days, or twelve without a schedule', () => {
  const now = at('17T12:00')
  const since = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const ask = (every: 'day' | 'week' | null, days: number) =>
    daysWithoutBackup({ every, lastAt: since(days), since: since(400) }, now)
  expect([ask('day', 1.9), ask('day', 2)]).toEqual([null, 2])
  expect([ask('week', 8.9), ask('week', 9)]).toEqual([null, 9])
  expect([ask(null, 11.9), ask(null, 12)]).toEqual([null, 12])
  expect(daysWithoutBackup({ every: null, lastAt: null, since: since(30) }, now)).toBe(30)
})
