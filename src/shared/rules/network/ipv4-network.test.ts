import { expect, test } from 'vitest'
import { isHostIn, overlaps, parseNetwork } from './ipv4-network.ts'

const network = (cidr: string) => {
  const parsed = parseNetwork(cidr)
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
  ['10.0.0.0/8', '10.255.255.254', true],
  ['255.255.255.252/30', '255.255.255.253', true],
  ['10.0.0.0/8', 'nonsense', false],
])('%s holds %s: %s', (cidr, address, expected) => {
  expect(isHostIn(network(cidr), address)).toBe(expected)
})

test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.256/8', '10.0.0.0/x', '/24', ''])(
  '%j is no network',
  (text) => expect(parseNetwork(text)).toBeUndefined(),
)

test('networks overlap where they share an address', () => {
  expect(overlaps(network('10.0.0.0/8'), network('10.9.0.0/16'))).toBe(true)
  expect(overlaps(network('10.0.0.0/24'), network('10.0.1.0/24'))).toBe(false)
})
