import { expect, test } from 'vitest'
import { sizeTextOf } from './size-text.ts'

test('the size comes from the name, or is the default', () => {
  expect(sizeTextOf('Large: 4 CPU, 8 GB RAM, 160 GB HDD')).toBe('4 CPU · 8 GB RAM · 160 GB HDD')
  expect(sizeTextOf('quiet-harbour')).toBe('1 CPU · 1 GB RAM · 25 GB SSD')
})
