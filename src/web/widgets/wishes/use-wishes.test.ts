import { expect, test } from 'vitest'
import { isHostnameWish, wishesOf } from './use-wishes.ts'

test('an empty field is no wish', () => {
  expect(wishesOf({ label: ' ', hostname: '', sshKeyIds: [], userData: '\n' })).toEqual({})
  const userData = '#!/bin/sh\n'
  expect(wishesOf({ label: ' Mail ', hostname: ' MX-1 ', sshKeyIds: [3], userData })).toEqual({
    label: 'Mail',
    hostname: 'mx-1',
    sshKeyIds: [3],
    userData,
  })
})

test('a hostname may be empty, but not wrong', () => {
  expect(['', ' ', 'MX-1', 'a.b', '10'].map(isHostnameWish)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})
