import { describe, expect, test } from 'vitest'
import { testApp } from '../testing/test-app.ts'
import { createLimiters } from './limiters.ts'
import { createNetworkLimit } from './network-limit.ts'

describe('a limit for each network', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
  const limiters = createLimiters(t.deps)
  let made = 0
  /** A new limit of two per minute and address. */
  const newLimit = (onion: number | undefined) => {
    made += 1
    return createNetworkLimit(limiters, { name: `t${made}`, points: 2, seconds: 60, onion })
  }
  type Limit = ReturnType<typeof newLimit>
  const at = (address: string) => ({ address, isOnion: false })
  const onOnion = (address: string) => ({ address, isOnion: true })
  const isLetIn = async (limit: Limit, ...visit: Parameters<Limit['take']>) =>
    (await limit.take(...visit)).refusal === undefined

  test('counts visitors of an onion address together, because they all look the same', async () => {
    const limit = newLimit(3)
    const visits: boolean[] = []
    for (const n of [1, 2, 3, 4]) visits.push(await isLetIn(limit, onOnion(`127.0.0.${n}`)))
    expect(visits).toEqual([true, true, true, false])
    expect(await isLetIn(limit, at('127.0.0.1'))).toBe(true)
  })

  test('counts no visitor of an onion address where that would let one lock the others out', async () => {
    const limit = newLimit(undefined)
    for (let n = 0; n < 10; n += 1) expect(await isLetIn(limit, onOnion('127.0.0.1'))).toBe(true)
  })

  test('allows a larger network more than one address, but not any number', async () => {
    const limit = newLimit(undefined)
    const visits: boolean[] = []
    // Each from a household of its own, all from one customer.
    for (let n = 1; n <= 5; n += 1) {
      visits.push(await isLetIn(limit, at(`2001:db8:1:10${n}::1`)))
    }
    expect(visits).toEqual([true, true, true, false, false])
  })

  test('says how long to wait, and how much is left', async () => {
    const limit = newLimit(undefined)
    expect(await limit.take(at('192.0.2.1'))).toMatchObject({
      standing: { limit: 2, remaining: 1 },
    })
    await limit.take(at('192.0.2.1'))
    const { refusal } = await limit.take(at('192.0.2.1'))
    expect(refusal?.retryAfter).toBeGreaterThan(0)
    expect(refusal?.retryAfter).toBeLessThanOrEqual(60)
  })

  test('counts each subject by itself, and takes a count back', async () => {
    const limit = newLimit(undefined)
    const visit = (what: string) => isLetIn(limit, at('192.0.2.9'), what)
    expect([await visit('a'), await visit('a'), await visit('a')]).toEqual([true, true, false])
    expect(await visit('b')).toBe(true)
    await limit.giveBack(at('192.0.2.9'), 'b')
    expect([await visit('b'), await visit('b'), await visit('b')]).toEqual([true, true, false])
  })
})
