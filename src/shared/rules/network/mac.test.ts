import { expect, test } from 'vitest'
import { isMac, isUnicastMac, normalizeMac } from './mac.ts'

test.each([
  ['BC:24:11:aa:bb:cc', true, true],
  ['bc-24-11-aa-bb-cc', true, true],
  ['01:00:5e:00:00:01', true, false],
  ['BC:24:11:AA:BB', false, false],
  ['BC:24:11:AA:BB:GG', false, false],
  ['', false, false],
])('%s: a MAC %s, unicast %s', (value, mac, unicast) => {
  expect([isMac(value), isUnicastMac(value)]).toEqual([mac, unicast])
})

test('every MAC is normalised to one spelling', () => {
  expect(normalizeMac('bc-24-11-aa-bb-cc')).toBe('BC:24:11:AA:BB:CC')
})
