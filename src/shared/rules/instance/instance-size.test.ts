import { expect, test } from 'vitest'
import { sizeFromName } from './instance-size.ts'

test.each([
  ['Small 2 CPU 4 GB RAM 80 GB SSD', 2, 4, 80, 'SSD'],
  ['4 CPU / 8 GB RAM / 160 GB HDD', 4, 8, 160, 'HDD'],
  ['2cpu,4gb ram,50gb ssd', 2, 4, 50, 'SSD'],
  ['Starter', 1, 1, 25, 'SSD'],
  ['', 1, 1, 25, 'SSD'],
  ['8 GB RAM only', 1, 8, 25, 'SSD'],
  ['0 CPU 0 GB RAM 0 GB SSD', 1, 1, 25, 'SSD'],
  ['99999 CPU 99999 GB RAM 999999 GB SSD', 1, 1, 25, 'SSD'],
  ['2 CPUs', 2, 1, 25, 'SSD'],
  ['100 GB of RAMBLING', 1, 1, 25, 'SSD'],
])('%s', (name, cpu, ramGb, diskGb, diskKind) => {
  expect(sizeFromName(name)).toEqual({ cpu, ramGb, diskGb, diskKind })
})
