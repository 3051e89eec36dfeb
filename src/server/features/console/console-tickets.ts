import { createHash } from 'node:crypto'
import { and, eq, gt, lt } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { consoleTickets } from '../../db/schema/work.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

const LIFETIME_MS = MINUTE_MS

/** One-time tickets in the database, so that any process can redeem another's. */
export function createConsoleTickets({ db, clock, random }: Pick<Deps, 'db' | 'clock' | 'random'>) {
  return {
    async issue(actor: Actor, instanceId: number): Promise<string> {
      const ticket = random.bytes(32).toString('base64url')
      const now = clock.now()
      await db.delete(consoleTickets).where(lt(consoleTickets.expiresAt, now))
      await db.insert(consoleTickets).values({
        ticketHash: hash(ticket),
        sessionId: actor.key ? null : actor.sessionId,
        apiKeyId: actor.key?.id ?? null,
        userId: actor.user.id,
        instanceId,
        expiresAt: new Date(now.getTime() + LIFETIME_MS),
      })
      return ticket
    },

    /** The instance the ticket opens; undefined if it is used, old, or another user's. */
    async redeem(actor: Actor, ticket: string): Promise<number | undefined> {
      const [row] = await db
        .delete(consoleTickets)
        .where(
          and(
            eq(consoleTickets.ticketHash, hash(ticket)),
            actor.key
              ? eq(consoleTickets.apiKeyId, actor.key.id)
              : eq(consoleTickets.sessionId, actor.sessionId),
            eq(consoleTickets.userId, actor.user.id),
            gt(consoleTickets.expiresAt, clock.now()),
          ),
        )
        .returning()
      return row?.instanceId
    },
  }
}

const hash = (ticket: string) => createHash('sha256').update(ticket).digest('hex')
