import { hash, verify } from '@node-rs/argon2'
import { createQueue } from '../lib/async/semaphore.ts'
import { asGenerated } from '../lib/random.ts'

/** argon2id, 19 MiB, two passes: OWASP's minimum. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/**
 * A flood of sign-ins must not use the whole machine. One queue for the process, because it is the
 * machine that is protected.
 */
const AT_ONCE = 4

const queue = createQueue(AT_ONCE)

export const hashPassword = (password: string): Promise<string> =>
  queue(() => hash(password, OPTIONS))

let decoy: Promise<string> | undefined

/**
 * Checks a password. Without a stored hash it does the same work against a decoy, so that the time
 * does not reveal whether the account exists. The amount of work depends only on the input: all its
 * readings are tried, even after one matched.
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

/**
 * The input as typed, and as a generated password typed without hyphens, with spaces or in lower
 * case.
 */
function readingsOf(password: string): string[] {
  const generated = asGenerated(password)
  return generated === undefined || generated === password ? [password] : [password, generated]
}
