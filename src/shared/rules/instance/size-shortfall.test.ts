import { expect, test } from 'vitest'
import { realSizeWords, shortfallOf } from './size-shortfall.ts'

const GIB = 1024 ** 3
const real = (cpu: number, ram: number, disk: number) => ({
  cpu,
  memoryBytes: ram * GIB,
  diskBytes: disk * GIB,
})
const SOLD = 'Small, 2 CPU, 4 GB RAM, 40 GB SSD'

test('a VM as large as what was sold, or larger, falls short in nothing', () => {
  expect(shortfallOf(SOLD, real(2, 4, 40))).toBeUndefined()
  expect(shortfallOf(SOLD, real(4, 8, 80))).toBeUndefined()
  // Storages round disk sizes.
  expect(shortfallOf(SOLD, real(2, 4, 39.9))).toBeUndefined()
})

test('a shortfall names each part that is smaller', () => {
  expect(shortfallOf(SOLD, real(1, 2, 40))).toBe('1 instead of 2 CPU, 2 instead of 4 GB RAM')
  expect(shortfallOf(SOLD, real(2, 4, 20))).toBe('20 instead of 40 GB disk')
})

test('a part without a stated size is not compared', () => {
  expect(shortfallOf('A server', real(1, 1, 1))).toBeUndefined()
  const unknown = { cpu: undefined, memoryBytes: undefined, diskBytes: undefined }
  expect(shortfallOf(SOLD, unknown)).toBeUndefined()
  expect(realSizeWords(unknown)).toBe('')
  expect(realSizeWords(real(2, 0.5, 20))).toBe('2 CPU, 0.5 GB RAM, 20 GB disk')
})
