import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIp } from '../network/ip.ts'
import { reverseName, zoneOf, zoneProblem } from './reverse-name.ts'

const V6 = '2001:db8::5'
const NIBBLES = '5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'

describe('the name of a PTR record', () => {
  test.each([
    ['203.0.113.5', '113.0.203.in-addr.arpa', '5.113.0.203.in-addr.arpa'],
    ['203.0.113.5', '203.in-addr.arpa', '5.113.0.203.in-addr.arpa'],
    ['203.0.113.5', 'in-addr.arpa', '5.113.0.203.in-addr.arpa'],
    ['203.0.113.5', '0-127.113.0.203.in-addr.arpa', '5.0-127.113.0.203.in-addr.arpa'],
    ['203.0.113.5', '0/25.113.0.203.in-addr.arpa', '5.0/25.113.0.203.in-addr.arpa'],
    ['203.0.113.5', '114.0.203.in-addr.arpa', undefined],
    ['203.0.113.5', '13.0.203.in-addr.arpa', undefined],
    ['203.0.113.5', '8.b.d.0.1.0.0.2.ip6.arpa', undefined],
    [V6, '8.b.d.0.1.0.0.2.ip6.arpa', NIBBLES],
    [V6, '9.b.d.0.1.0.0.2.ip6.arpa', undefined],
    [
      '2001:db8:1:2:3:4:5:abcd',
      'ip6.arpa',
      `d.c.b.a.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0${NIBBLES.slice(47)}`,
    ],
    [V6, `0-f.${NIBBLES.slice(2)}`, undefined],
    ['nonsense', 'in-addr.arpa', undefined],
  ])('of %s in %s is %s', (address, zone, expected) => {
    expect(reverseName(address, zone)).toBe(expected)
  })

  test('differs for any two addresses of a family', () => {
    const address = fc.bigInt(0n, 2n ** 128n - 1n)
    fc.assert(
      fc.property(address, address, (a, b) => {
        const [one, other] = [a, b].map((value) =>
          reverseName(formatIp({ family: 6, value }), 'ip6.arpa'),
        )
        expect(one === other).toBe(a === b)
        expect(one).toMatch(/^([0-9a-f]\.){32}ip6\.arpa$/)
      }),
    )
  })
})

describe('the zone of a pool', () => {
  test.each([
    ['203.0.113.0/24', '113.0.203.in-addr.arpa'],
    ['203.0.112.0/20', '0.203.in-addr.arpa'],
    ['203.0.113.128/25', '113.0.203.in-addr.arpa'],
    ['203.0.113.128/25', '128/25.113.0.203.in-addr.arpa'],
    ['2001:db8::/48', '8.b.d.0.1.0.0.2.ip6.arpa'],
    ['2001:db8::/50', '0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ])('of %s may be %s', (cidr, zone) => {
    expect(zoneProblem(cidr, zone)).toBeUndefined()
  })

  test.each([
    ['203.0.112.0/20', '112.0.203.in-addr.arpa', '0.203.in-addr.arpa'],
    ['203.0.113.0/24', '0-127.113.0.203.in-addr.arpa', '113.0.203.in-addr.arpa'],
    ['203.0.113.0/24', 'example.net', '113.0.203.in-addr.arpa'],
    ['2001:db8::/48', '113.0.203.in-addr.arpa', '0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ])('of %s is not %s', (cidr, zone, example) => {
    expect(zoneProblem(cidr, zone)).toBe(
      `The reverse zone must hold the whole network ${cidr}, such as ${example}.`,
    )
  })
})

test('the longest zone that holds a name is the one it is looked up in', () => {
  const name = '5.113.0.203.in-addr.arpa'
  const zones = ['0.203.in-addr.arpa', '113.0.203.in-addr.arpa', '13.0.203.in-addr.arpa', name]
  expect(zoneOf(name, zones)).toBe('113.0.203.in-addr.arpa')
  expect(zoneOf('5.114.0.203.in-addr.arpa', zones)).toBe('0.203.in-addr.arpa')
  expect(zoneOf('5.100.51.198.in-addr.arpa', zones)).toBeUndefined()
})
