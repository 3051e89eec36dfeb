/** Base32 without letters that look alike (Crockford): easy to read aloud and to type. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 75 random bits; the check digit follows them. */
export const RANDOM_LETTERS = 15
const LETTERS = RANDOM_LETTERS + 1
const GROUP = 4

/** Times x in the field of 32 elements, x⁵ = x² + 1. */
const timesX = (value: number): number => {
  const shifted = value << 1
  return shifted & 32 ? shifted ^ 0b100101 : shifted
}

/**
 * Every position has a factor of its own, so one wrong letter and two exchanged letters always
 * change the digit.
 */
function checkDigit(letters: string): string {
  let check = 0
  for (const letter of letters) check = timesX(check ^ ALPHABET.indexOf(letter))
  return ALPHABET[check] ?? ''
}

/** The code of random letters: 7K2Q-DM4X-YA9T-03PB */
export function voucherCode(bytes: Iterable<number>): string {
  const letters = [...bytes].map((byte) => ALPHABET[byte & 31]).join('')
  return inGroups(letters + checkDigit(letters))
}

const inGroups = (letters: string): string =>
  letters.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? letters

/** What was typed, as it was printed: O stands for 0, I and L for 1, spaces and dashes for nothing. */
export function readVoucher(typed: string): string {
  const letters = typed
    .replaceAll(/[\s-]/g, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return inGroups(letters)
}

/** Why what was typed cannot be a code; undefined if it may be one. */
export function voucherProblem(typed: string): string | undefined {
  const letters = readVoucher(typed).replaceAll('-', '')
  if (letters === '') return 'Please enter the code of the voucher.'
  const strange = [...letters].find((letter) => !ALPHABET.includes(letter))
  if (strange !== undefined) return `A code has no “${strange}”. Please look at it again.`
  if (letters.length !== LETTERS) {
    return `A code has ${LETTERS} letters and digits; this one has ${letters.length}.`
  }
  const isRight = checkDigit(letters.slice(0, RANDOM_LETTERS)) === letters.at(-1)
  return isRight ? undefined : 'A letter or digit is not as printed. Please compare the code.'
}
