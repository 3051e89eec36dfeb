import { randomBytes, randomInt } from 'node:crypto'

export type Random = { bytes(size: number): Buffer; integer(min: number, below: number): number }

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  integer: (min, below) => randomInt(min, below),
}

/** Base32 without letters that look alike (Crockford): easy to read aloud and to type. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const PASSWORD_LENGTH = 26
const GROUP = 5

/** 130 bits in groups: 7K2QD-M4XYA-… */
export const randomPassword = (random: Random): string =>
  inGroups(randomLetters(random, PASSWORD_LENGTH))

/** Five bits each. */
export const randomLetters = (random: Random, length: number): string =>
  [...random.bytes(length)].map((byte) => ALPHABET[byte & 31]).join('')

const inGroups = (letters: string): string =>
  letters.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? letters

/** An unguessable public name. */
export const randomId = (random: Random, bytes = 16): string =>
  random.bytes(bytes).toString('base64url')

/** The generated password that the input stands for; undefined if it has another form. */
export function asGenerated(typed: string): string | undefined {
  const letters = readLetters(typed, PASSWORD_LENGTH)
  return letters === undefined ? undefined : inGroups(letters)
}

/** So many letters, however they were typed; undefined for anything else. */
export function readLetters(typed: string, length: number): string | undefined {
  const letters = typed
    .replaceAll(/[\s-]/g, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const isOne =
    letters.length === length && [...letters].every((letter) => ALPHABET.includes(letter))
  return isOne ? letters : undefined
}
