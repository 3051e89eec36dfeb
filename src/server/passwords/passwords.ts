import { hash, verify } from '@node-rs/argon2'
import { createQueue } from '../lib/async/semaphore.ts'
import { asGenerated } from '../lib/random.ts'

/** argon2id, 19 MiB, two passes: what OWASP asks for at the least. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** A flood of sign-ins must not take the whole machine. */
const AT_ONCE = 4

const queue = createQueue(AT_ONCE)

export const hashPassword = (password: string): Promise<string> =>
  queue(() => hash(password, OPTIONS))

let decoy: Promise<string> | undefined

/**
 * Checks a password. Without a stored hash the same work is done against a decoy, so that the
 * time taken does not tell whether the account exists. How much work it is depends on what was
 * typed alone: all its readings are tried, also after one was right.
 */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('a password that nobody has')
  const against = stored ?? (await decoy)
  let isRight = false
  for (const reading of readingsOf(password)) {
    const fits = await queue(() => verify(against, reading))
    isRight = isRight || fits
  }
  return stored !== undefined && isRight
}

/** As typed, and as a generated one typed without its hyphens, with spaces or in small letters. */
function readingsOf(password: string): string[] {
  const generated = asGenerated(password)
  return generated === undefined || generated === password ? [password] : [password, generated]
}
