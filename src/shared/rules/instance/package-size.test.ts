import { expect, test } from 'vitest'
import { packageSize, sizeInWords } from './package-size.ts'

test.each([
  ['2 CPU', '4 GB RAM', '80 GB SSD', '2 CPU, 4 GB RAM, 80 GB SSD'],
  ['2 vCPU', '4GB', '80 GB NVMe', '2 CPU, 4 GB RAM, 80 GB SSD'],
  ['1 core', '512 MB', '1 TB HDD', '1 CPU, 1 GB RAM, 1024 GB HDD'],
  ['4', '8', '160', '4 CPU, 8 GB RAM, 160 GB SSD'],
  ['shared', 'plenty', 'enough', ''],
])('%s, %s, %s → %s', (cpu, ram, storage, words) => {
  expect(sizeInWords({ cpu, ram, storage })).toBe(words)
})

test('a package without figures gets the default size', () => {
  expect(packageSize({ cpu: 'shared', ram: '', storage: '' })).toEqual({
    cpu: 1,
    ramGb: 1,
    diskGb: 25,
    diskKind: 'SSD',
  })
})
