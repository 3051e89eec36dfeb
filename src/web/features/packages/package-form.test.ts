import { describe, expect, test } from 'vitest'
import { bodyOf, checkPackage, copyOf, EMPTY_PACKAGE, fieldsOf, osChoices } from './package-form.ts'

const plan = {
  id: 'starter',
  name: 'Starter',
  description: null,
  cpu: '1 CPU',
  ram: '1 GB RAM',
  storage: '25 GB SSD',
  bandwidth: null,
  traffic: null,
  price: 5.5,
  popular: true,
  active: true,
  osOptions: ['Debian 12'],
  specialNote: null,
  snapshotQuota: 2,
  rateMbit: null,
  trafficGb: null,
  trafficCounts: 'both' as const,
  slowMbit: 10,
  snapshotDays: 7,
  backupLimit: 2,
  ipv6Only: true,
  mailOpen: true,
  lastBackup: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

describe('the package form', () => {
  test('a loaded record can be sent back unchanged', () => {
    const result = checkPackage(fieldsOf(plan))
    expect(result.success).toBe(true)
    expect(bodyOf(fieldsOf(plan)).price).toBe(5.5)
  })

  test.each(['name', 'cpu', 'ram', 'storage', 'price'] as const)('%s is required', (field) => {
    const result = checkPackage({ ...fieldsOf(plan), [field]: ' ' })
    expect(result.error?.issues.map(({ message }) => message)).toEqual([
      'Please fill in all required fields.',
    ])
  })

  test('a price is not negative', () => {
    expect(checkPackage({ ...fieldsOf(plan), price: '-1' }).success).toBe(false)
    expect(checkPackage({ ...fieldsOf(plan), price: '0' }).success).toBe(true)
  })

  test('an empty limit is unlimited, and 0 is none', () => {
    const typed = { ...fieldsOf(plan), rateMbit: ' ', trafficGb: '0' }
    expect(checkPackage(typed).data).toMatchObject({ rateMbit: null, trafficGb: 0 })
    expect(fieldsOf({ ...plan, rateMbit: 100, trafficGb: 0 })).toMatchObject({
      rateMbit: '100',
      trafficGb: '0',
    })
  })

  test.each([
    ['rateMbit', '0', 'Bandwidth must be 1 to 100000 Mbit/s; leave it empty for unlimited'],
    ['rateMbit', '1.5', 'Bandwidth must be 1 to 100000 Mbit/s; leave it empty for unlimited'],
    ['trafficGb', '-1', 'Traffic must be 0 to 5000000 GB; leave it empty for unlimited'],
    ['slowMbit', '0', 'The rate after that must be 1 to 100000 Mbit/s'],
    ['slowMbit', '', 'The rate after that must be 1 to 100000 Mbit/s'],
  ])('%s of %s is refused', (field, value, message) => {
    const result = checkPackage({ ...fieldsOf(plan), [field]: value })
    expect(result.error?.issues.map((issue) => issue.message)).toEqual([message])
  })

  test('a copy has another name and is not on sale', () => {
    expect(copyOf(plan)).toMatchObject({ name: 'Starter (copy)', active: false, cpu: '1 CPU' })
  })

  test('a new package offers Ubuntu 22.04', () => {
    expect(EMPTY_PACKAGE.osOptions).toEqual(['Ubuntu 22.04'])
  })
})

test('the choices are the active systems and those chosen before', () => {
  const system = (name: string, isActive: boolean) => ({
    id: 1,
    name,
    description: null,
    isActive,
    createdAt: plan.createdAt,
  })
  const systems = [system('Debian 12', true), system('CentOS 8', false)]
  expect(osChoices(systems, ['Old OS', 'Debian 12'])).toEqual(['Debian 12', 'Old OS'])
})
