import { createHash } from 'node:crypto'
import { and, eq, gt, isNull, lte } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { type ChallengeUse, passkeyChallenges } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import { type Random, randomId } from '../lib/random.ts'

/** How long a person may take to find a key and touch it. */
export const CHALLENGE_MS = 5 * MINUTE_MS
const CHALLENGE_BYTES = 32

/** What a challenge is bound to. A sign-in has no session yet. */
export type Asked =
  | { use: 'sign-in'; userId: number; sessionId?: undefined }
  | { use: Exclude<ChallengeUse, 'sign-in'>; userId: number; sessionId: number }

/** Rows, so that every process knows them, and one delete decides who used one. */
export function createChallenges({ db, clock, random }: { db: Db; clock: Clock; random: Random }) {
  return {
    async issue({ use, userId, sessionId }: Asked): Promise<string> {
      const challenge = randomId(random, CHALLENGE_BYTES)
      const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS)
      const challengeHash = hash(challenge)
      await db
        .insert(passkeyChallenges)
        .values({ challengeHash, use, userId, sessionId: sessionId ?? null, expiresAt })
      return challenge
    },

    /** Uses it up, also for an answer that is refused afterwards. */
    async take(challenge: string, { use, userId, sessionId }: Asked): Promise<boolean> {
      const taken = await db
        .delete(passkeyChallenges)
        .where(
          and(
            eq(passkeyChallenges.challengeHash, hash(challenge)),
            eq(passkeyChallenges.use, use),
            eq(passkeyChallenges.userId, userId),
            sessionId === undefined
              ? isNull(passkeyChallenges.sessionId)
              : eq(passkeyChallenges.sessionId, sessionId),
            gt(passkeyChallenges.expiresAt, clock.now()),
          ),
        )
        .returning({ use: passkeyChallenges.use })
      return taken.length > 0
    },

    async prune(): Promise<void> {
      await db.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, clock.now()))
    },
  }
}

const hash = (challenge: string) => createHash('sha256').update(challenge).digest('hex')
