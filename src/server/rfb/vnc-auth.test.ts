import { expect, test } from 'vitest'
import { answerChallenge } from './vnc-auth.ts'

test('is DES with the bits of each key byte reversed', () => {
  // The FIPS vector (key 133457799BBCDFF1), with the bits of each key byte reversed.
  const password = Buffer.from('c82cea9ed93dfb8f', 'hex').toString('latin1')
  const challenge = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
  expect(answerChallenge(password, challenge).toString('hex')).toBe(
    '85e813540f0ab40585e813540f0ab405',
  )
})

test('uses only the first eight characters', () => {
  const challenge = Buffer.alloc(16, 7)
  expect(answerChallenge('12345678', challenge)).toEqual(answerChallenge('12345678more', challenge))
  expect(answerChallenge('1234567', challenge)).not.toEqual(answerChallenge('12345678', challenge))
})
