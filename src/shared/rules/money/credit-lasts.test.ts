import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../time/durations.ts'
import { creditLasts, renewsAt } from './credit-lasts.ts'

const now = new Date('2026-02-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS)
const server = (id: number, price: number, days: number) => ({
  id,
  price,
  endsAt: inDays(days),
  durationDays: 30,
})

describe('how long credit lasts', () => {
  test('it pays whole periods, and lasts to the end of the last one', () => {
    const end = creditLasts([server(1, 500, 10)], 1200, now)
    expect(end).toEqual({ until: inDays(70), id: 1, missing: 300 })
  })

  test('the server that ends first takes it first', () => {
    const end = creditLasts([server(1, 500, 20), server(2, 900, 10)], 900, now)
    expect(end).toEqual({ until: inDays(20), id: 1, missing: 500 })
  })

  test('credit that covers nothing ends with the first server', () => {
    expect(creditLasts([server(1, 500, 4)], -200, now)).toEqual({
      until: inDays(4),
      id: 1,
      missing: 500,
    })
  })

  test('a server in its grace period is renewed from now on', () => {
    expect(creditLasts([server(1, 500, -2)], 500, now)?.until).toEqual(inDays(30))
  })

  test('without a server, or for two years, there is no end to name', () => {
    expect(creditLasts([], 0, now)).toBeUndefined()
    expect(creditLasts([server(1, 1, 1)], 1000, now)).toBeUndefined()
  })

  test('more credit never ends sooner', () => {
    const one = fc.record({
      id: fc.nat(9),
      price: fc.integer({ min: 1, max: 900 }),
      days: fc.integer({ min: -5, max: 60 }),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 5 }), fc.nat(3000), fc.nat(3000), (list, a, b) => {
        const servers = list.map(({ id, price, days }) => server(id, price, days))
        const end = (credit: number) =>
          creditLasts(servers, credit, now)?.until.getTime() ?? Number.POSITIVE_INFINITY
        expect(end(a + b)).toBeGreaterThanOrEqual(end(a))
      }),
    )
  })

  test('a server is renewed three days before its end', () => {
    expect(renewsAt(inDays(10))).toEqual(inDays(7))
  })
})
