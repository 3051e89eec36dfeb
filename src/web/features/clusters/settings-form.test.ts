import { describe, expect, test } from 'vitest'
import { EMPTY_NETWORK, fieldsOf, settingsIssues, settingsOf } from './settings-form.ts'

const settings = {
  networks: [
    {
      cidr: '203.0.113.0/24',
      gateway: '203.0.113.1',
      bridge: 'vmbr0',
      vlan: 20,
      nameservers: ['9.9.9.9', '1.1.1.1'],
      searchDomain: 'example.net',
      first: '203.0.113.10',
      last: '203.0.113.99',
      isConfirmed: true,
    },
  ],
  vmIdRange: { first: 1000, last: 1999 },
  pool: 'customers',
  storage: null,
  cloneMode: 'full' as const,
  directConsole: false,
  guestAgent: false,
}

describe('the settings of a cluster', () => {
  test('a loaded record can be sent back unchanged', () => {
    expect(settingsOf(fieldsOf(settings))).toEqual(settings)
    expect(settingsIssues(fieldsOf(settings))).toEqual([])
  })

  test('DNS servers may be separated in any common way', () => {
    const fields = fieldsOf(settings)
    const network = { ...EMPTY_NETWORK, nameservers: ' 9.9.9.9 , 1.1.1.1;8.8.8.8' }
    expect(settingsOf({ ...fields, networks: [network] }).networks[0]?.nameservers).toEqual([
      '9.9.9.9',
      '1.1.1.1',
      '8.8.8.8',
    ])
  })

  test('an empty network shows its missing values at the fields', () => {
    const fields = { ...fieldsOf(settings), networks: [{ ...EMPTY_NETWORK, vlan: '9999' }] }
    const issues = new Map(
      settingsIssues(fields).map(({ path, message }) => [path.join(), message]),
    )
    expect(issues.get('networks,0,cidr')).toBe('Network must look like 203.0.113.0/24')
    expect(issues.get('networks,0,nameservers')).toBe('Name at least one DNS server')
    expect(issues.get('networks,0,searchDomain')).toBe('Search domain is required')
    expect(issues.get('networks,0,vlan')).toBe('VLAN must be a number from 1 to 4094')
  })

  test('a network cannot be confirmed without a range, and needs none before', () => {
    const [network = EMPTY_NETWORK] = fieldsOf(settings).networks
    const of = (change: object) =>
      settingsIssues({ ...fieldsOf(settings), networks: [{ ...network, ...change }] })
    expect(of({ first: '' })).toEqual([
      { path: ['networks', 0, 'first'], message: 'Enter the first address for clients' },
    ])
    expect(of({ first: '', last: '', isConfirmed: false })).toEqual([])
  })

  test.each([
    [{ firstVmId: '' }, 'firstVmId', 'VM id must be a whole number'],
    [{ firstVmId: '1' }, 'firstVmId', 'VM ids lie between 100 and 999999999'],
    [{ lastVmId: '500' }, 'lastVmId', 'The first VM id must be smaller than the last'],
  ])('%o is refused', (change, path, message) => {
    const issues = settingsIssues({ ...fieldsOf(settings), ...change })
    expect(issues).toContainEqual({ path: [path], message })
  })
})
