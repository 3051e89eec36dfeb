import { expect, test } from 'vitest'
import { formatTraffic } from './traffic.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1_250_000_000, '1.25 GB'],
  [12_340_000_000, '12.3 GB'],
  [250e9, '250 GB'],
  [2e12, '2 TB'],
  [-5, '0 B'],
])('%d bytes of traffic are %s', (bytes, text) => {
  expect(formatTraffic(bytes)).toBe(text)
})
