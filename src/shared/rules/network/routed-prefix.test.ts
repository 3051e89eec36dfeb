import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overlaps, parseCidr } from './cidr.ts'
import { formatIp, parseIp } from './ip.ts'
import { lastWithPrefix, linkOf, routedPrefix } from './routed-prefix.ts'

const POOL = { cidr: '2001:db8::/48', prefixPerServer: 64 }

describe('the prefix of a server', () => {
  test.each([
    ['2001:db8::2', '2001:db8:0:2::/64'],
    ['2001:db8::a', '2001:db8:0:a::/64'],
    ['2001:db8::ffff', '2001:db8:0:ffff::/64'],
    ['2001:db8::', undefined],
    ['2001:db8::1:0', undefined],
    ['2001:db9::2', undefined],
    ['203.0.113.5', undefined],
  ])('of %s is %s', (address, prefix) => {
    expect(routedPrefix(POOL, address)).toBe(prefix)
  })

  test('is none where the pool gives none', () => {
    expect(routedPrefix({ cidr: '2001:db8::/64' }, '2001:db8::5')).toBeUndefined()
    expect(routedPrefix({ ...POOL, prefixPerServer: 48 }, '2001:db8::5')).toBeUndefined()
    expect(lastWithPrefix({ cidr: '203.0.113.0/24', prefixPerServer: 28 })).toBeUndefined()
  })

  test('is nobody else’s, and apart from the network of the gateway', () => {
    const number = fc.integer({ min: 1, max: 65_535 })
    fc.assert(
      fc.property(
        number,
        number,
        fc.constantFrom(56, 60, 64, 80),
        (one, other, prefixPerServer) => {
          const pool = { ...POOL, prefixPerServer }
          const base = parseIp('2001:db8::')?.value ?? 0n
          const at = (n: number) =>
            routedPrefix(pool, formatIp({ family: 6, value: base + BigInt(n) }))
          const [a, b, link] = [at(one), at(other), linkOf(pool)].map(
            (cidr) => cidr && parseCidr(cidr),
          )
          if (a && link) expect(overlaps(a, link)).toBe(false)
          if (a && b && one !== other) expect(overlaps(a, b)).toBe(false)
        },
      ),
    )
  })

  test('leaves the first of its size to the gateway and the servers’ own addresses', () => {
    expect(linkOf(POOL)).toBe('2001:db8::/64')
    expect(linkOf({ cidr: '2001:db8::/48' })).toBe('2001:db8::/48')
    expect(lastWithPrefix(POOL)).toBe('2001:db8::ffff')
    // So small that there are fewer addresses than prefixes.
    expect(lastWithPrefix({ cidr: '2001:db8::/48', prefixPerServer: 120 })).toBe('2001:db8::ff')
  })
})
