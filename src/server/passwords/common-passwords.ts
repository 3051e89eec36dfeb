import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#shared/errors.ts'
import { ROOT } from '../lib/root.ts'

export const COMMON_PASSWORD =
  'This password is one of the most common ones and would be guessed. Choose another.'

/** The first four bytes of SHA-256 of each, sorted (scripts/common-passwords.ts). */
const hashes = readFileSync(join(ROOT, 'src/server/passwords/common-passwords.bin'))

/**
 * True if a password is among the ten thousand most common, whatever its case. One in 430 000 other
 * passwords matches by chance, because the hashes are short.
 */
export function isCommonPassword(password: string): boolean {
  const wanted = createHash('sha256').update(password.trim().toLowerCase()).digest().readUInt32BE(0)
  let low = 0
  let high = hashes.length / 4
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = hashes.readUInt32BE(middle * 4)
    if (found === wanted) return true
    if (found < wanted) low = middle + 1
    else high = middle
  }
  return false
}

/** Every password that a person chooses is checked here before it is stored. */
export function refuseCommon(password: string): void {
  if (isCommonPassword(password)) throw new AppError('INVALID_INPUT', COMMON_PASSWORD)
}
