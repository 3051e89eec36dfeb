import { expect, test } from 'vitest'
import { localHour, scheduleText, windowText } from './schedule-words.ts'

test('a window is told by its hours, also across midnight', () => {
  expect(windowText(0, 8)).toBe('00:00 to 08:00 UTC')
  expect(windowText(22, 4)).toBe('22:00 to 02:00 UTC')
})

test('an hour is told in the reader’s time, half hours included', () => {
  expect(localHour(0, 0)).toBe('00:00 where you are')
  expect(localHour(23, -60)).toBe('00:00 where you are')
  expect(localHour(0, 300)).toBe('19:00 where you are')
  expect(localHour(0, -330)).toBe('05:30 where you are')
})

test('the day of the week is the one here too', () => {
  expect(localHour(0, 0, 'Sunday')).toBe('Sunday, 00:00 where you are')
  expect(localHour(0, 300, 'Sunday')).toBe('Saturday, 19:00 where you are')
  expect(localHour(0, 300, 'Monday')).toBe('Sunday, 19:00 where you are')
  expect(localHour(23, -60, 'Saturday')).toBe('Sunday, 00:00 where you are')
  expect(localHour(23, -60, 'Sunday')).toBe('Monday, 00:00 where you are')
  expect(localHour(22, -120, 'Friday')).toBe('Saturday, 00:00 where you are')
})

test('a schedule is a sentence', () => {
  const window = { from: 22, hours: 4, weekday: null }
  expect(scheduleText({ every: 'none', window, keep: 1 })).toBe('No automatic backups are made.')
  expect(scheduleText({ every: 'day', window, keep: 1 })).toBe(
    'Every day, starting between 22:00 and 02:00 UTC. The newest one is kept.',
  )
  expect(
    scheduleText({ every: 'week', window: { ...window, weekday: 'Sunday' }, keep: 3 }),
  ).toContain('Every Sunday, starting between 22:00 and 02:00 UTC. The newest 3 are kept;')
})
