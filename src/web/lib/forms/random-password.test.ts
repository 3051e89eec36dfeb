import { expect, test } from 'vitest'
import { randomPassword } from './random-password.ts'

test('a password has twenty unambiguous letters and is never repeated', () => {
  const made = new Set(Array.from({ length: 200 }, () => randomPassword()))
  expect(made.size).toBe(200)
  for (const password of made) expect(password).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{20}$/)
})

test('bytes that would favour some letters are skipped', () => {
  let round = 0
  const fill = (bytes: Uint8Array<ArrayBuffer>) => {
    round += 1
    return bytes.fill(round === 1 ? 255 : 0)
  }
  expect(randomPassword(fill)).toBe('a'.repeat(20))
  expect(round).toBe(2)
})
