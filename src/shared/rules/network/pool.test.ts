import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIp, parseIp } from './ip.ts'
import { overlapRefusal, placeOf, poolOf, poolProblems, sizeOf, sliceOf } from './pool.ts'

const V4 = {
  family: 4 as const,
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  ranges: [{ first: '203.0.113.10', last: '203.0.113.20' }],
  reserved: [],
}
const V6 = {
  family: 6 as const,
  cidr: '2001:db8::/48',
  gateway: '2001:db8::1',
  ranges: [{ first: '2001:db8::10', last: '2001:db8::ffff' }],
  reserved: [],
  prefixPerServer: 64,
}
const said = (pool: Parameters<typeof poolProblems>[0]) =>
  poolProblems(pool).map(({ path, message }) => `${path.join('.')}: ${message}`)

describe('a pool', () => {
  test.each([V4, V6, { ...V4, ranges: [] }])('fits together: %j', (pool) => {
    expect(said(pool)).toEqual([])
  })

  test.each([
    [{ cidr: '203.0.113.0' }, 'cidr: Network must look like 203.0.113.0/24'],
    [{ cidr: '2001:db8::/64' }, 'cidr: Network must look like 203.0.113.0/24'],
    [{ cidr: '203.0.113.0/31' }, 'cidr: The network must be between /8 and /30.'],
    [{ gateway: '10.0.0.1' }, /^gateway: The gateway 10\.0\.0\.1 is no address .* in 203/],
    [{ gateway: '203.0.113.0' }, /^gateway: /],
    [{ gateway: '203.0.113.255' }, /^gateway: /],
    [{ ranges: [{ first: '203.0.113.0', last: '203.0.113.9' }] }, /^ranges\.0\.first: /],
    [{ ranges: [{ first: '203.0.113.9', last: '203.0.113.255' }] }, /^ranges\.0\.last: /],
    [{ ranges: [{ first: '203.0.113.9', last: '203.0.113.8' }] }, /^ranges\.0\.last: .* before/],
    [
      { ranges: [...V4.ranges, { first: '203.0.113.20', last: '203.0.113.30' }] },
      'ranges.1.first: This range overlaps 203.0.113.10 to 203.0.113.20.',
    ],
    [{ reserved: [{ address: '203.0.114.9' }] }, /^reserved\.0\.address: /],
    [{ prefixPerServer: 64 }, /^prefixPerServer: Only an IPv6 pool/],
  ])('with %j is refused at the field', (change, expected) => {
    const problems = said({ ...V4, ...change })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  })

  test('gives servers smaller prefixes than its own network', () => {
    expect(said({ ...V6, prefixPerServer: 48 })[0]).toMatch(/^prefixPerServer: .* above \/48/)
  })

  test('has a prefix for each address of its ranges, and its gateway beside them', () => {
    const ranges = [{ first: '2001:db8::10', last: '2001:db8::1:0' }]
    expect(said({ ...V6, ranges })).toEqual([
      'ranges.0.last: With a /64 per server, the last address must not be above 2001:db8::ffff.',
    ])
    expect(said({ ...V6, gateway: '2001:db8:0:1::1' })).toEqual([
      'gateway: With a /64 per server, the gateway must not be above 2001:db8::ffff.',
    ])
  })

  test('beside another one that shares an address is refused by its name', () => {
    const others = [
      { name: 'Office', cidr: '198.51.100.0/24' },
      { name: 'Big', cidr: '203.0.0.0/16' },
    ]
    expect(overlapRefusal(V4.cidr, others)).toBe(
      '203.0.113.0/24 overlaps 203.0.0.0/16 of the pool “Big”.',
    )
    expect(overlapRefusal('192.0.2.0/24', others)).toBeUndefined()
    expect(overlapRefusal(V6.cidr, others)).toBeUndefined()
  })

  test.each([
    ['203.0.113.9', V4],
    ['203.0.113.0', undefined],
    ['203.0.113.255', undefined],
    ['2001:db8:0:7::9', V6],
    ['198.51.100.9', undefined],
    ['nonsense', undefined],
  ])('is found for %s', (address, expected) => {
    expect(poolOf([V4, V6], address)).toBe(expected)
  })
})

describe('the ranges of a pool', () => {
  const ranges = [
    { first: '203.0.113.20', last: '203.0.113.21' },
    { first: '203.0.113.10', last: '203.0.113.12' },
  ]

  test('are counted and read in ascending order', () => {
    expect(sizeOf(ranges)).toBe(5n)
    const all = ['10', '11', '12', '20', '21'].map((last) => `203.0.113.${last}`)
    expect(sliceOf(ranges, 0n, 99)).toEqual(all)
    expect(sliceOf(ranges, 2n, 2)).toEqual(all.slice(2, 4))
    expect(sliceOf(ranges, 5n, 2)).toEqual([])
    expect(placeOf(ranges, '203.0.113.13')).toBeUndefined()
  })

  test('hold each address at one place, in IPv6 too', () => {
    const first = { family: 6 as const, value: parseIp('2001:db8::10')?.value ?? 0n }
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 60n), fc.bigInt(0n, 2n ** 20n), (size, at) => {
        const last = formatIp({ ...first, value: first.value + size })
        const one = [{ first: formatIp(first), last }]
        const [address] = sliceOf(one, at, 1)
        if (at > size) expect(address).toBeUndefined()
        else expect(placeOf(one, address ?? '')).toBe(at)
      }),
    )
  })
})
