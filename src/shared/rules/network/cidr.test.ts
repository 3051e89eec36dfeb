import { expect, test } from 'vitest'
import { formatCidr, isHostIn, overlaps, parseCidr, withPrefix } from './cidr.ts'

const network = (cidr: string) => {
  const parsed = parseCidr(cidr)
  if (!parsed) throw new Error(`${cidr} is no network`)
  return parsed
}

test.each([
  ['203.0.113.0/24', '203.0.113.1', true],
  ['203.0.113.0/24', '203.0.113.254', true],
  ['203.0.113.0/24', '203.0.113.0', false],
  ['203.0.113.0/24', '203.0.113.255', false],
  ['203.0.113.0/24', '203.0.112.9', false],
  ['203.0.113.77/24', '203.0.113.1', true],
  ['255.255.255.252/30', '255.255.255.253', true],
  ['10.0.0.0/8', 'nonsense', false],
  ['10.0.0.0/8', '2001:db8::1', false],
  ['2001:db8::/64', '2001:db8::', false],
  ['2001:db8::/64', '2001:db8::1', true],
  ['2001:db8::/64', '2001:db8::ffff:ffff:ffff:ffff', true],
  ['2001:db8::/64', '2001:db8:0:1::', false],
  ['2001:db8::/64', '203.0.113.1', false],
])('a machine in %s can have %s: %s', (cidr, address, expected) => {
  expect(isHostIn(network(cidr), address)).toBe(expected)
})

test.each([
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0.256/8',
  '10.0.0.0/x',
  '10.0.0.0/8/8',
  '2001:db8::/129',
  '/24',
  '',
])('%j is no network', (text) => expect(parseCidr(text)).toBeUndefined())

test('a network is stored by its first address', () => {
  expect(formatCidr(network('203.0.113.77/24'))).toBe('203.0.113.0/24')
  expect(formatCidr(network('2001:DB8::5/64'))).toBe('2001:db8::/64')
})

test('networks overlap where they share an address', () => {
  expect(overlaps(network('10.0.0.0/8'), network('10.9.0.0/16'))).toBe(true)
  expect(overlaps(network('10.0.0.0/24'), network('10.0.1.0/24'))).toBe(false)
  expect(overlaps(network('0.0.0.0/8'), network('::/64'))).toBe(false)
})

test('a guest gets its address with the prefix', () => {
  expect(withPrefix('203.0.113.2', '203.0.113.0/29')).toBe('203.0.113.2/29')
})
