import { expect, test } from 'vitest'
import { bytesIn, createKeyring, UnsealError } from './keyring.ts'

const place = { table: 'tokens', column: 'password', row: 'abc' }
const keyring = createKeyring('k'.repeat(40))

test('a sealed value opens in its place and shows nothing of the secret', () => {
  const sealed = keyring.seal(place, 'hunter2 ü')
  expect(sealed).toMatch(/^v1:[0-9a-f]{8}:[\w-]+:[\w-]+:[\w-]+$/)
  expect(sealed).not.toContain('hunter2')
  expect(keyring.open(place, sealed)).toBe('hunter2 ü')
})

test('the same secret is sealed differently each time', () => {
  expect(keyring.seal(place, 'x')).not.toBe(keyring.seal(place, 'x'))
})

test('an empty secret can be sealed', () => {
  expect(keyring.open(place, keyring.seal(place, ''))).toBe('')
})

test.each(['', 'x', 'hunter2 ü', '#!/bin/sh\n'.repeat(3000)])(
  'the size of %j is known without opening it',
  (text) => {
    expect(bytesIn(keyring.seal(place, text))).toBe(Buffer.byteLength(text))
  },
)

test.each([
  { ...place, row: 'abd' },
  { ...place, column: 'username' },
  { ...place, table: 'clusters' },
])('a value moved to %j does not open', (elsewhere) => {
  expect(() => keyring.open(elsewhere, keyring.seal(place, 'x'))).toThrow(UnsealError)
})

test('a value with a changed byte does not open', () => {
  const parts = keyring.seal(place, 'secret').split(':')
  parts[3] = `${parts[3]?.startsWith('A') ? 'B' : 'A'}${parts[3]?.slice(1)}`
  expect(() => keyring.open(place, parts.join(':'))).toThrow(/was changed/)
})

test('plain text is refused, not passed on', () => {
  expect(() => keyring.open(place, 'hunter2')).toThrow(/not a sealed value/)
})

test('a new key opens what the previous one sealed, and reports which values are old', () => {
  const old = keyring.seal(place, 'x')
  const next = createKeyring('n'.repeat(40), 'k'.repeat(40))
  expect(next.open(place, old)).toBe('x')
  expect([next.isCurrent(old), next.isCurrent(next.seal(place, 'x'))]).toEqual([false, true])
  expect(() => createKeyring('n'.repeat(40)).open(place, old)).toThrow(/SECRET_KEY_PREVIOUS/)
})
