import { expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../time/durations.ts'
import { cdRefusal, isCdOver, isoSizeRefusal, isoUrlRefusal } from './cds.ts'

test('while a CD is in the drive, other work waits, and the sentence says for what', () => {
  expect(cdRefusal(null)).toBeUndefined()
  expect(cdRefusal('iso')).toMatch(/Take it out first/)
  expect(cdRefusal('rescue')).toMatch(/End that first/)
})

test.each([
  ['not an address', /full address/],
  ['http://example.org/a.iso', /https/],
  ['ftp://example.org/a.iso', /https/],
  ['https://me:secret@example.org/a.iso', /login/],
  ['https://example.org:8006/a.iso', /443/],
])('%s is refused', (text, why) => {
  expect(isoUrlRefusal(text, { anyPort: false })).toMatch(why)
})

test('an https address is fine, also with its own port written out', () => {
  expect(isoUrlRefusal('https://example.org:443/a.iso?x=1', { anyPort: false })).toBeUndefined()
  expect(isoUrlRefusal('https://localhost:8443/a.iso', { anyPort: true })).toBeUndefined()
})

test('an image has a known size of at most 10 GiB', () => {
  expect(isoSizeRefusal(undefined)).toMatch(/does not say/)
  expect(isoSizeRefusal(0)).toMatch(/empty/)
  expect(isoSizeRefusal(10 * 1024 ** 3)).toBeUndefined()
  expect(isoSizeRefusal(10 * 1024 ** 3 + 1)).toBe('An image has at most 10 GiB. This one has 11.')
})

const bootedAt = new Date('2026-05-01T12:00:00Z')
const after = (ms: number) => new Date(bootedAt.getTime() + ms)
const running = (uptime: number) => ({ state: 'running', uptime })

test.each([
  ['is not in yet', { bootedAt: null }, running(5), after(DAY_MS), false],
  ['runs since then', {}, running(3600), after(60 * MINUTE_MS), false],
  ['was started again', {}, running(60), after(60 * MINUTE_MS), true],
  ['was just started', {}, running(0), after(MINUTE_MS), false],
  ['is off', {}, { state: 'stopped', uptime: 0 }, after(10 * MINUTE_MS), true],
  ['is off, as the last list says', {}, { state: 'stopped', uptime: 0 }, after(MINUTE_MS), false],
  ['is unknown', {}, undefined, after(10 * MINUTE_MS), false],
  ['is paused', {}, { state: 'paused', uptime: 1 }, after(10 * MINUTE_MS), false],
  ['runs for a day', {}, running(DAY_MS / 1000), after(DAY_MS), true],
])('a CD of a server that %s', (_, given, seen, now, expected) => {
  expect(isCdOver({ kind: 'iso', bootedAt, ...given }, seen, now)).toBe(expected)
})

test('a rescue lasts until it is ended', () => {
  const cd = { kind: 'rescue', bootedAt } as const
  expect(isCdOver(cd, { state: 'stopped', uptime: 0 }, after(30 * DAY_MS))).toBe(false)
})
