import { expect, test } from 'vitest'
import { ApiKeyCreate } from '#shared/api/people/api-keys.ts'
import { EMPTY_KEY, wishOf } from './key-form.ts'

test('what was left empty is not in the wish', () => {
  expect(wishOf({ ...EMPTY_KEY, name: 'script' })).toEqual({
    name: 'script',
    scopes: ['servers:read'],
  })
})

test('what another choice has hidden is not in the wish either', () => {
  const wish = wishOf({ ...EMPTY_KEY, scopes: ['billing:read'], instanceIds: [7], dailyLimit: '5' })
  expect(wish).toEqual({ name: '', scopes: ['billing:read'] })
})

test('a whole wish passes the schema of the call', () => {
  const wish = wishOf({
    name: 'shop',
    scopes: ['billing:spend'],
    instanceIds: [],
    dailyLimit: '20',
    lastDay: '2027-01-31',
    networks: '203.0.113.7, 2001:db8::/32',
    password: 'secret',
  })
  expect(ApiKeyCreate.parse(wish)).toMatchObject({
    dailyLimit: '20.00',
    cidrs: ['203.0.113.7/32', '2001:db8::/32'],
    password: 'secret',
  })
})
