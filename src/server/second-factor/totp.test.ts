import { describe, expect, test } from 'vitest'
import { appUri, asBase32, asTotp, codeOf, stepAt, stepOfCode } from './totp.ts'

/** Appendix B of RFC 6238, cut to the six digits that apps show. */
const SECRET = Buffer.from('12345678901234567890')
const VECTORS: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

test.each(VECTORS)('at second %i of RFC 6238 the code is %s', (seconds, code) => {
  expect(codeOf(SECRET, stepAt(new Date(seconds * 1000)))).toBe(code)
})

describe('a code', () => {
  const now = new Date('2026-11-17T12:00:00Z')
  const step = stepAt(now)

  test('counts in its own half minute, the one before and the one after', () => {
    const found = [-2, -1, 0, 1, 2].map((drift) =>
      stepOfCode(SECRET, codeOf(SECRET, step + drift), now),
    )
    expect(found).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  test('is read however it is grouped, and nothing else is a code', () => {
    expect(['123 456', '123-456', ' 123456 '].map(asTotp)).toEqual(['123456', '123456', '123456'])
    expect(['', '12345', '1234567', '12345a', '７７７７７７'].map(asTotp)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    )
  })
})

test('a secret is written as apps read it', () => {
  // RFC 4648, section 10, without padding.
  expect(
    ['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((t) => asBase32(Buffer.from(t))),
  ).toEqual(['MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'])
  const uri = appUri({ secret: 'MZXW6', issuer: 'My Shop: North', account: 'a@b.example' })
  expect(uri).toBe(
    'otpauth://totp/My%20Shop%3A%20North:a%40b.example?secret=MZXW6&issuer=My%20Shop%3A%20North',
  )
})
