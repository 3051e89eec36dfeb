import { expect, test } from 'vitest'
import { randomPassword, systemRandom } from '../lib/random.ts'
import { addressKey, countedNetworks } from '../limits/address-key.ts'
import { testDb } from '../testing/test-db.ts'
import { truncateAddress } from './truncated-address.ts'
import { takeUsername } from './usernames.ts'

test('a taken number is not assigned again', async () => {
  const { db, close } = await testDb('embedded')
  const numbers = [1_234_567, 1_234_567, 7_654_321]
  const random = { ...systemRandom, integer: () => numbers.shift() ?? 0 }
  const [first, second] = [await takeUsername(db, random), await takeUsername(db, random)]
  expect([first, second]).toEqual(['1234567', '7654321'])
  await close()
})

test('a password has 130 bits in groups', () => {
  const passwords = Array.from({ length: 1000 }, () => randomPassword(systemRandom))
  expect(new Set(passwords).size).toBe(1000)
  for (const password of passwords) {
    expect(password).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]$/)
  }
})

test.each([
  ['203.0.113.77', '203.0.113.0/24', '203.0.113.77'],
  ['::ffff:203.0.113.77', '203.0.113.0/24', '203.0.113.77'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8:1:2'],
  ['2001:db8::5', '2001:db8::/48', '2001:db8:0:0'],
  ['::1', null, '0:0:0:0'],
])('%s is stored as %s and counted as %s', (address, kept, key) => {
  expect([truncateAddress(address), addressKey(address)]).toEqual([kept, key])
})

test.each([
  ['203.0.113.77', ['203.0.113.77']],
  ['::ffff:203.0.113.77', ['203.0.113.77']],
  ['2001:db8:1:2f34::9', ['2001:db8:1:2f34', '2001:db8:1:2f::/56', '2001:db8:1::/48']],
  ['2001:DB8:0001:00fe:1:2:3:4', ['2001:db8:1:fe', '2001:db8:1:00::/56', '2001:db8:1::/48']],
  ['fc00:dead:beef:4dad::ab:cd', ['fc00:dead:beef:4dad:0:0:ab:cd']],
])('%s is counted in %j', (address, networks) => {
  expect(countedNetworks(address).map(({ key }) => key)).toEqual(networks)
})
