import { createHash } from 'node:crypto'
import { asGenerated } from '../../lib/random.ts'

/**
 * As it is stored; undefined for a text that cannot be a code. The code has 130 random bits, so a
 * plain hash cannot be searched.
 */
export function hashOfCode(typed: string): string | undefined {
  const code = asGenerated(typed)
  return code === undefined ? undefined : createHash('sha256').update(code).digest('hex')
}
