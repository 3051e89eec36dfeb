import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../time/durations.ts'
import {
  type ChangeFacts,
  changeRefusal,
  needsRestart,
  type Offer,
  priceOfRest,
  timeOfChange,
} from './package-change.ts'

const now = new Date('2026-03-01T00:00:00Z')
const term = (days: number, durationDays = 30) => ({
  paidUntil: new Date(now.getTime() + days * DAY_MS),
  durationDays,
})
const size = { cpu: 2, ramGb: 4, diskGb: 40, diskKind: 'SSD' } as const
const offer = (priceCents: number, other: Partial<Offer['size']> = {}): Offer => ({
  size: { ...size, ...other },
  priceCents,
})

describe('what the rest of the paid time costs', () => {
  test('is the difference for as many days as are left', () => {
    expect(priceOfRest(500, 900, term(30), now)).toBe(400)
    expect(priceOfRest(500, 900, term(12), now)).toBe(160)
    expect(priceOfRest(442, 900, term(12), now)).toBe(183)
    expect(priceOfRest(500, 900, term(75), now)).toBe(1000)
  })

  test('is nothing once the paid time is over', () => {
    expect(priceOfRest(500, 900, term(0), now)).toBe(0)
    expect(priceOfRest(500, 900, term(-3), now)).toBe(0)
  })

  const cents = fc.integer({ min: 0, max: 1_000_000 })
  const days = fc.integer({ min: 1, max: 400 })
  const left = fc.integer({ min: -10 * DAY_MS, max: 730 * DAY_MS })
  const rest = (from: number, to: number, ms: number, durationDays: number) =>
    priceOfRest(from, to, { paidUntil: new Date(now.getTime() + ms), durationDays }, now)

  test('is never negative, and never more than the full difference of the terms begun', () => {
    fc.assert(
      fc.property(cents, cents, left, days, (from, to, ms, durationDays) => {
        const price = rest(from, to, ms, durationDays)
        const terms = Math.max(0, Math.ceil(ms / (durationDays * DAY_MS)))
        expect(Number.isInteger(price)).toBe(true)
        expect(price).toBeGreaterThanOrEqual(0)
        expect(price).toBeLessThanOrEqual(Math.max(0, to - from) * terms)
      }),
    )
  })

  test('costs no less in two steps than a cent per step below one step', () => {
    fc.assert(
      fc.property(cents, cents, cents, left, days, (a, b, c, ms, durationDays) => {
        const [low = 0, middle = 0, high = 0] = [a, b, c].toSorted((one, other) => one - other)
        const once = rest(low, high, ms, durationDays)
        const twice = rest(low, middle, ms, durationDays) + rest(middle, high, ms, durationDays)
        expect(once - twice).toBeGreaterThanOrEqual(0)
        expect(once - twice).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('when a change takes effect', () => {
  test.each([
    ['more of everything', offer(900, { cpu: 4, ramGb: 8, diskGb: 80 }), 'at-once'],
    ['more disk alone', offer(500, { diskGb: 80 }), 'at-once'],
    ['less memory', offer(900, { ramGb: 2 }), 'at-renewal'],
    ['fewer cores', offer(900, { cpu: 1 }), 'at-renewal'],
    ['the same for less', offer(499), 'at-renewal'],
    ['more for less', offer(499, { cpu: 4 }), 'at-renewal'],
  ])('%s', (_, to, time) => {
    expect(timeOfChange(offer(500), to)).toBe(time)
  })

  test('other cores or memory need a stop and a start, another disk does not', () => {
    expect(needsRestart(size, { ...size, cpu: 4 })).toBe(true)
    expect(needsRestart(size, { ...size, ramGb: 2 })).toBe(true)
    expect(needsRestart(size, { ...size, diskGb: 80 })).toBe(false)
  })
})

describe('a package is refused', () => {
  const facts: ChangeFacts = {
    server: { size, planId: 'small', osType: 'Debian 12', durationDays: 30, hasIpv4: true },
    target: {
      id: 'large',
      size,
      osOptions: ['Debian 12', 'Ubuntu 22.04'],
      isTrial: false,
      ipv6Only: false,
      durationDays: 30,
    },
    planned: null,
    hasRoom: true,
  }
  const target = (other: Partial<ChangeFacts['target']>): ChangeFacts => ({
    ...facts,
    target: { ...facts.target, ...other },
  })

  test('for none of these reasons where all fits', () => {
    expect(changeRefusal(facts)).toBeUndefined()
    expect(changeRefusal(target({ size: { ...size, cpu: 1, ramGb: 1 } }))).toBeUndefined()
  })

  test.each([
    [target({ id: 'small' }), 'This server has this package already.'],
    [target({ isTrial: true }), 'A running server cannot become a trial.'],
    [target({ durationDays: 7 }), 'is paid for 30 days at a time, this package for 7.'],
    [target({ osOptions: ['Arch Linux'] }), 'is not offered with Debian 12. Reinstall'],
    [target({ ipv6Only: true }), 'have no IPv4 address, and this one has.'],
    [target({ size: { ...size, diskKind: 'HDD' } }), 'is an SSD, that of this package an HDD.'],
    [target({ size: { ...size, diskGb: 39 } }), 'A disk cannot shrink: this server has 40 GB'],
    [{ ...facts, planned: 'Tiny' }, 'becomes Tiny with its next term. Give that up first'],
    [{ ...facts, hasRoom: false }, 'has no room for this package now.'],
    [{ ...facts, hasRoom: null }, 'does not answer. Try again in a minute.'],
    [
      { ...facts, server: { ...facts.server, hasIpv4: false } },
      'have an IPv4 address, and this one has none.',
    ],
  ])('with a sentence: %#', (given, sentence) => {
    expect(changeRefusal(given)).toContain(sentence)
  })
})
