import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../time/durations.ts'
import { eventOf, eventsFor, TOLD_ACTIONS } from './webhook-events.ts'
import { nextTry, offReason, webhookUrlRefusal } from './webhook-tries.ts'

const NOW = new Date('2026-11-15T12:00:00Z')

describe('the tries of a delivery', () => {
  test('are eight, ever further apart, within three days', () => {
    let at = NOW
    let before = 0
    let tries = 1
    for (let next = nextTry(tries, at); next; next = nextTry(tries, at)) {
      const gap = next.getTime() - at.getTime()
      expect(gap).toBeGreaterThan(before)
      before = gap
      at = next
      tries += 1
    }
    expect(tries).toBe(8)
    const hours = (at.getTime() - NOW.getTime()) / HOUR_MS
    expect(hours).toBeGreaterThan(70)
    expect(hours).toBeLessThanOrEqual(72)
  })

  test('end the webhook at 410, or when it has failed for five days', () => {
    const since = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
    expect(offReason({ status: 410, failingSince: NOW, now: NOW })).toBe('gone')
    expect(offReason({ status: 404, failingSince: since(4.9), now: NOW })).toBeUndefined()
    expect(offReason({ status: undefined, failingSince: since(5), now: NOW })).toBe('failing')
  })
})

describe('what a webhook is told', () => {
  test('is for a client only what concerns its own servers and orders', () => {
    const beyond = eventsFor(true).filter((event) => !eventsFor(false).includes(event))
    expect(beyond).toEqual([
      'account.registered',
      'account.deleted',
      'order.disputed',
      'sign-in.failures',
    ])
  })

  test('is one event for each entry of the log, and none for any other', () => {
    expect(new Set(TOLD_ACTIONS).size).toBe(TOLD_ACTIONS.length)
    expect(eventOf('token.assign')).toBe('server.ready')
    expect(eventOf('instance.reveal')).toBeUndefined()
    expect(eventOf('constructor')).toBeUndefined()
  })
})

describe('the address of a webhook', () => {
  test.each([
    ['example.com', 'Please enter a full address: https://…'],
    ['http://example.com/', 'The address must begin with https://.'],
    ['ftp://example.com/', 'The address must begin with https://.'],
    ['https://me@example.com/', 'The address must not contain a login.'],
    ['https://:pw@example.com/', 'The address must not contain a login.'],
    ['https://example.com:8006/', 'The address must not name another port than 443.'],
  ])('%s is refused', (url, why) => {
    expect(webhookUrlRefusal(url, { isInsideAllowed: false })).toBe(why)
  })

  test('may be inside only where the operator allows it', () => {
    const inside = { isInsideAllowed: true }
    expect(webhookUrlRefusal('https://example.com:443/a?b', { isInsideAllowed: false })).toBe(
      undefined,
    )
    expect(webhookUrlRefusal('http://10.0.0.5:8080/', inside)).toBeUndefined()
    expect(webhookUrlRefusal('ftp://10.0.0.5/', inside)).toBeDefined()
  })
})
