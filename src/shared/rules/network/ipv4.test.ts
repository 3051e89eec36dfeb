import { expect, test } from 'vitest'
import { isIpv4 } from './ipv4.ts'

test.each(['0.0.0.0', '203.0.113.5', '255.255.255.255'])('%s is an address', (value) => {
  expect(isIpv4(value)).toBe(true)
})

test.each(['', '1.2.3', '1.2.3.256', '01.2.3.4', '1.2.3.4.5', '::1', '1.2.3.4/24', ' 1.2.3.4'])(
  '%j is none',
  (value) => {
    expect(isIpv4(value)).toBe(false)
  },
)
