import { describe, expect, test } from 'vitest'
import { RANDOM_LETTERS, readVoucher, voucherCode, voucherProblem } from './voucher-code.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const code = () => voucherCode(crypto.getRandomValues(new Uint8Array(RANDOM_LETTERS)))
const MISTYPED = 'A letter or digit is not as printed. Please compare the code.'

describe('the code of a voucher', () => {
  test('has four groups of four, and is read as it was printed', () => {
    const made = code()
    expect(made).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(voucherProblem(made)).toBeUndefined()
    expect(readVoucher(made)).toBe(made)
  })

  test('may be typed in lower case, without dashes, with O for 0 and I or L for 1', () => {
    const made = voucherCode([0, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    const typed = made.replaceAll('-', ' ').replace('0', 'o').replace('1', 'i').replace('1', 'L')
    expect(readVoucher(typed.toLowerCase())).toBe(made)
  })

  test('shows every wrong letter and every two that changed places', () => {
    const letters = [...code().replaceAll('-', '')]
    for (const [at, right] of letters.entries()) {
      for (const wrong of ALPHABET) {
        if (wrong !== right) expect(voucherProblem(letters.with(at, wrong).join(''))).toBe(MISTYPED)
      }
      for (const [other, second] of letters.entries()) {
        if (second === right) continue
        const swapped = letters.with(at, second).with(other, right).join('')
        expect(voucherProblem(swapped)).toBe(MISTYPED)
      }
    }
  })

  test.each([
    ['', 'Please enter the code of the voucher.'],
    ['7K2Q-DM4X', 'A code has 16 letters and digits; this one has 8.'],
    ['7K2Q-DM4X-YA9T-03P!', 'A code has no “!”. Please look at it again.'],
  ])('%s is answered by "%s"', (typed, sentence) => {
    expect(voucherProblem(typed)).toBe(sentence)
  })
})
