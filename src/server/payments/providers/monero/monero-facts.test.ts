import { describe, expect, test } from 'vitest'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import {
  confirmationsFor,
  countable,
  isInTime,
  judge,
  type Transfer,
  type ValuedTransfer,
} from './monero-facts.ts'

const RATE = 100n * 10n ** 8n
/** At $100 a cent is 10^8 piconero. */
const worth = (cents: number, confirmations: number, isOnTime = true): ValuedTransfer => ({
  pico: BigInt(cents) * 10n ** 8n,
  confirmations,
  rate: RATE,
  isOnTime,
})
const NOW = new Date('2027-01-01T12:00:00Z')
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE_MS)
const payment = (amountCents: number) => ({ amountCents, expiresAt: inMinutes(30) })

describe('the confirmations a payment needs', () => {
  test.each([
    [1, 1],
    [2000, 1],
    [2001, 3],
    [10_000, 3],
    [10_001, 10],
  ])('of %i cents are %i', (cents, needed) => expect(confirmationsFor(cents)).toBe(needed))

  test('follow what came, if that is more than was asked for', () => {
    const rich = [worth(50_000, 3)]
    expect(judge(payment(500), rich, NOW)).toMatchObject({
      needed: 10,
      facts: { state: 'confirming', receivedCents: 0, seenCents: 50_000 },
    })
    const final = judge(payment(500), [worth(50_000, 10)], NOW)
    expect(final.facts).toMatchObject({ state: 'paid', receivedCents: 50_000 })
  })

  test('are counted by the transfer that has the fewest', () => {
    const judged = judge(payment(5000), [worth(2000, 7), worth(3000, 2)], NOW)
    expect(judged).toMatchObject({ confirmations: 2, needed: 3, facts: { state: 'confirming' } })
    expect(judge(payment(5000), [], NOW).confirmations).toBeNull()
    expect(judge(payment(5000), [worth(5000, 9)], NOW).confirmations).toBe(3)
  })
})

describe('a payment of five dollars', () => {
  const five = payment(500)
  const late = inMinutes(31)
  const cases: [string, ValuedTransfer[], Date, string, number, number][] = [
    ['nothing came', [], NOW, 'pending', 0, 0],
    ['all is in the pool', [worth(500, 0)], NOW, 'confirming', 0, 500],
    ['all is final', [worth(500, 1)], NOW, 'paid', 500, 500],
    ['a part is in the pool', [worth(300, 0)], NOW, 'confirming', 0, 300],
    ['a part is final', [worth(300, 1)], NOW, 'pending', 0, 300],
    ['two parts are final', [worth(300, 4), worth(200, 1)], NOW, 'paid', 500, 500],
    ['one of two is final', [worth(300, 4), worth(200, 0)], NOW, 'confirming', 0, 500],
    ['too much is final', [worth(800, 1)], NOW, 'paid', 800, 800],
    ['it came twice', [worth(500, 3), worth(500, 0)], NOW, 'paid', 500, 1000],
    ['the time is over', [], late, 'expired', 0, 0],
    ['all was seen in time', [worth(500, 0)], late, 'confirming', 0, 500],
    ['a part is left alone', [worth(300, 1)], late, 'expired', 300, 300],
    ['a part is in the pool at the end', [worth(300, 0)], late, 'expired', 0, 300],
    ['all came too late', [worth(500, 1, false)], late, 'expired', 500, 500],
    ['the rest came too late', [worth(300, 1), worth(200, 1, false)], late, 'expired', 500, 500],
    ['one cent is missing', [worth(499, 5)], NOW, 'pending', 0, 499],
  ]
  test.each(cases)('of which %s', (_, transfers, now, state, receivedCents, seenCents) => {
    const { facts } = judge(five, transfers, now)
    expect(facts).toEqual({ state, receivedCents, refundedCents: 0, seenCents })
  })
})

describe('a transfer', () => {
  const transfer: Transfer = {
    txid: 'a',
    pico: 1n,
    confirmations: 5,
    isTimeLocked: false,
    isDoubleSpent: false,
    at: NOW,
  }

  test('that is locked for a time, or whose coins are sent twice, does not count', () => {
    const locked = { ...transfer, isTimeLocked: true }
    const doubled = { ...transfer, isDoubleSpent: true }
    expect(countable([locked, transfer, doubled])).toEqual([transfer])
  })

  test.each([
    ['seen in time', inMinutes(60), inMinutes(29), true],
    ['seen a moment later', inMinutes(60), inMinutes(32), true],
    ['seen later, sent in time', inMinutes(29), inMinutes(300), true],
    ['sent and seen later', inMinutes(33), inMinutes(33), false],
  ])('%s is in time or not', (_, at, now, isOnTime) => {
    expect(isInTime({ at }, inMinutes(30), now)).toBe(isOnTime)
  })
})
