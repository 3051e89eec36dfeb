import { expect, test } from 'vitest'
import { formatBytes, formatRate } from './bytes.ts'

test.each([
  [0, '0 B'],
  [-5, '0 B'],
  [0.4, '0 B'],
  [512, '512 B'],
  [1024, '1 KiB'],
  [1_610_612_736, '1.5 GiB'],
  [137_438_953_472, '128 GiB'],
  [2 ** 41, '2 TiB'],
  [2 ** 62, '4,096 PiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('a rate has a time unit', () => {
  expect(formatRate(2048)).toBe('2 KiB/s')
})
