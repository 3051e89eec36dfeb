import { describe, expect, test } from 'vitest'
import { bodyOf, checkPool, EMPTY_POOL, fieldsOf } from './pool-form.ts'

const pool = {
  id: 7,
  clusterId: 3,
  clusterName: 'Frankfurt',
  name: 'Public',
  family: 4 as const,
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  ranges: [
    { first: '203.0.113.10', last: '203.0.113.99' },
    { first: '203.0.113.200', last: '203.0.113.200' },
  ],
  reserved: [{ address: '203.0.113.53', reason: 'our name server' }],
  bridge: 'vmbr0',
  vlan: 20,
  nameservers: ['9.9.9.9', '1.1.1.1'],
  searchDomain: 'example.net',
  rdns: '113.0.203.in-addr.arpa',
  rdnsPattern: '{ip}.vps.example.net',
  prefixPerServer: null,
  counts: { free: 91, held: 0, used: 0, reserved: 0, cooling: 0 },
  createdAt: '2026-11-16T00:00:00.000Z',
}
const { id: _, clusterName: __, counts: ___, createdAt: ____, ...sent } = pool

const issues = (change: object) => {
  const result = checkPool({ ...fieldsOf(pool), ...change })
  return result.success ? [] : result.error.issues.map(({ path, message }) => [path[0], message])
}

describe('the form of a pool', () => {
  test('sends a loaded pool back unchanged', () => {
    expect(bodyOf(fieldsOf(pool))).toEqual(sent)
    expect(issues({})).toEqual([])
  })

  test.each([
    ['203.0.113.10-203.0.113.20', '203.0.113.10', '203.0.113.20'],
    ['203.0.113.10 to 203.0.113.20', '203.0.113.10', '203.0.113.20'],
    ['203.0.113.10 203.0.113.20', '203.0.113.10', '203.0.113.20'],
    ['203.0.113.10', '203.0.113.10', '203.0.113.10'],
  ])('reads the range %j', (ranges, first, last) => {
    expect(bodyOf({ ...EMPTY_POOL, ranges }).ranges).toEqual([{ first, last }])
  })

  test('knows the family by the network', () => {
    expect(bodyOf({ ...EMPTY_POOL, cidr: '2001:db8::/48' }).family).toBe(6)
  })

  test.each([
    [{ name: ' ' }, 'name', 'Pool name is required'],
    [{ clusterId: '' }, 'clusterId', 'Please select a cluster'],
    [{ cidr: '203.0.113.0' }, 'cidr', 'Network must look like 203.0.113.0/24'],
    [{ gateway: '' }, 'gateway', 'Invalid IP address'],
    [{ vlan: '9999' }, 'vlan', 'VLAN must be a number from 1 to 4094'],
    [{ vlan: 'x' }, 'vlan', 'VLAN must be a number from 1 to 4094'],
    [{ nameservers: '' }, 'nameservers', 'Name at least one DNS server'],
    [{ reserved: 'printer' }, 'reserved', 'Line 1: Invalid IP address'],
    [
      { ranges: '203.0.113.10\n10.0.0.1' },
      'ranges',
      'Line 2: The first address 10.0.0.1 is no address for a machine in 203.0.113.0/24.',
    ],
  ])('with %j says so at the field', (change, field, message) => {
    expect(issues(change)).toContainEqual([field, message])
  })
})
