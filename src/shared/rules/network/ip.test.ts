import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalIp, formatIp, parseIp } from './ip.ts'

test.each([
  ['203.0.113.5', '203.0.113.5'],
  [' 203.0.113.5 ', '203.0.113.5'],
  ['2001:DB8::5', '2001:db8::5'],
  ['2001:db8:0:0:0:0:0:5', '2001:db8::5'],
  ['2001:0db8::0005', '2001:db8::5'],
  ['::', '::'],
  ['::1', '::1'],
  ['fe80::', 'fe80::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ['1::2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
])('%j is the address %s', (text, address) => {
  expect(canonicalIp(text)).toBe(address)
})

test.each([
  '',
  '203.0.113',
  '203.0.113.256',
  '203.0.113.5/24',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '2001:db8::g',
  '2001:db8::12345',
  'fe80::1%eth0',
  '::ffff:192.0.2.1',
  'nonsense',
])('%j is no address', (text) => expect(parseIp(text)).toBeUndefined())

test('every number is one address, and is read back from it', () => {
  const any = fc.oneof(
    fc.record({ family: fc.constant(4 as const), value: fc.bigInt(0n, 2n ** 32n - 1n) }),
    fc.record({ family: fc.constant(6 as const), value: fc.bigInt(0n, 2n ** 128n - 1n) }),
  )
  fc.assert(
    fc.property(any, (ip) => {
      expect(parseIp(formatIp(ip))).toEqual(ip)
    }),
  )
})
