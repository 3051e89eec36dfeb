import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toNumber } from './ipv4-network.ts'
import { networkOf, nextFreeAddress, toAddress, usableNetworkOf, withPrefix } from './networks.ts'

const A = {
  cidr: '203.0.113.0/29',
  gateway: '203.0.113.1',
  first: '203.0.113.1',
  last: '203.0.113.6',
  isConfirmed: true,
}
const B = {
  cidr: '10.0.0.0/8',
  gateway: '10.255.255.254',
  first: '10.0.0.1',
  last: '10.255.255.254',
  isConfirmed: true,
}

test.each([
  ['203.0.113.2', A],
  ['203.0.113.6', A],
  ['203.0.113.0', undefined],
  ['203.0.113.1', undefined],
  ['203.0.113.7', undefined],
  ['203.0.113.8', undefined],
  ['10.9.8.7', B],
  ['nonsense', undefined],
])('%s lies in the right one', (address, expected) => {
  expect(networkOf([A, B], address)).toBe(expected)
})

describe('the next free address', () => {
  const upTo = (last: number) =>
    new Set(Array.from({ length: last }, (_, i) => `203.0.113.${i + 1}`))
  test.each([
    ['of an empty network', [A], new Set<string>(), '203.0.113.2'],
    ['after a gap', [A], new Set(['203.0.113.2', '203.0.113.4']), '203.0.113.3'],
    ['is the last one', [A], upTo(5), '203.0.113.6'],
    ['is none when all are taken', [A], upTo(6), undefined],
    ['comes from the next network', [A, B], upTo(6), '10.0.0.1'],
    ['ignores foreign addresses', [A], new Set(['192.0.2.1', '203.0.113.0']), '203.0.113.2'],
    ['of no network is none', [], new Set<string>(), undefined],
    ['of a proposal is none', [{ ...A, isConfirmed: false }], new Set<string>(), undefined],
    ['without a range is none', [{ ...A, last: null }], new Set<string>(), undefined],
    ['stays in the range', [{ ...A, first: '203.0.113.4' }], new Set<string>(), '203.0.113.4'],
    ['ends with the range', [{ ...A, last: '203.0.113.3' }], upTo(3), undefined],
    ['is never the broadcast', [{ ...A, last: '203.0.113.7' }], upTo(6), undefined],
  ])('%s', (_, networks, taken, expected) => {
    expect(nextFreeAddress(networks, taken)).toBe(expected)
  })
})

test.each([
  ['203.0.113.3', {}, true],
  ['203.0.113.3', { isConfirmed: false }, false],
  ['203.0.113.3', { first: null }, false],
  ['203.0.113.3', { first: '203.0.113.4' }, false],
  ['203.0.113.1', {}, false],
])('%s may be handed out of a network with %j: %s', (address, change, isUsable) => {
  expect(usableNetworkOf([{ ...A, ...change }], address) !== undefined).toBe(isUsable)
})

test('a guest gets its address with the prefix', () => {
  expect(withPrefix('203.0.113.2', A)).toBe('203.0.113.2/29')
})

test('every number maps to one address', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (number) => {
      expect(toNumber(toAddress(number))).toBe(number)
    }),
  )
})
