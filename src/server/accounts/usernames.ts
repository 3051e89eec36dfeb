import type { Db } from '../db/database.ts'
import { usernames } from '../db/schema/accounts.ts'
import type { Random } from '../lib/random.ts'

const FIRST = 1_000_000
const BELOW = 10_000_000
const TRIES = 50

/** A random 7-digit number that was never assigned before. */
export async function takeUsername(tx: Db, random: Random): Promise<string> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const username = String(random.integer(FIRST, BELOW))
    const [taken] = await tx
      .insert(usernames)
      .values({ username })
      .onConflictDoNothing()
      .returning()
    if (taken) return username
  }
  throw new Error('no free username found: the numbers are used up')
}
