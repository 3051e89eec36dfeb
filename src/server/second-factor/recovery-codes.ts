import { createHash } from 'node:crypto'
import { type Random, randomLetters, readLetters } from '../lib/random.ts'

export const CODES = 10
/** 80 random bits: no number of guesses finds one, and its plain hash cannot be searched. */
const LENGTH = 16

/** `7K2Q-DM4X-YA0T-9BCD` */
export const newRecoveryCode = (random: Random): string =>
  randomLetters(random, LENGTH).replaceAll(/(.{4})(?=.)/g, '$1-')

/** As it is stored; undefined for a text that cannot be a recovery code. */
export function hashOfRecoveryCode(typed: string): string | undefined {
  const letters = readLetters(typed, LENGTH)
  return letters === undefined ? undefined : createHash('sha256').update(letters).digest('hex')
}
