import { hash, verify } from '@node-rs/argon2'
import { createQueue } from './queue.ts'

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
 * time taken does not tell whether the account exists.
 */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('a password that nobody has')
  const against = stored ?? (await decoy)
  const isRight = await queue(() => verify(against, password))
  return stored !== undefined && isRight
}
