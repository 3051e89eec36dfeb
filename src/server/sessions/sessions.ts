import { and, desc, eq, lt, ne, or } from 'drizzle-orm'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import type { LookUp } from '../db/packed.ts'
import { sessions } from '../db/schema/accounts.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { Actor } from './actor.ts'
import {
  createFindSession,
  createFindSessionWith,
  type FoundSession,
  hashOfToken,
} from './find-session.ts'

const TOUCH_MS = MINUTE_MS
const SIMULATION_MS = 30 * MINUTE_MS

/**
 * The maximum lifetime of a session, and the maximum unused. An admin's is worth more to a thief.
 */
const LIFETIME = {
  admin: { total: 12 * HOUR_MS, idle: 30 * MINUTE_MS },
  client: { total: 30 * DAY_MS, idle: DAY_MS },
}
const lifetimeOf = (role: string) => (role === 'client' ? LIFETIME.client : LIFETIME.admin)

type Times = { expiresAt: Date; lastSeenAt: Date }
const isOver = ({ expiresAt, lastSeenAt }: Times, role: string, now: Date): boolean =>
  expiresAt <= now || now.getTime() - lastSeenAt.getTime() > lifetimeOf(role).idle

/** The value of the cookie, known to the browser alone. */
export type SessionToken = { token: string; expiresAt: Date }

/** False for what a page asks by itself: only a person's own doing keeps a session from ending unused. */
export type Look = { isUse: boolean }
const BY_A_PERSON: Look = { isUse: true }

/** A caller by session, and what was read with it. */
export type WithRow<Row> = { actor: Actor; row: Row }

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  clock,
  random,
  events,
  log,
}: {
  db: Db
  clock: Clock
  random: Random
  events: EventBus
  log: Log
}) {
  const newToken = () => random.bytes(32).toString('base64url')
  const find = createFindSession(db)

  /** No request fails because its time could not be noted: a database that only reads still answers. */
  const touch = async ({ id, lastSeenAt }: FoundSession, now: Date): Promise<void> => {
    if (now.getTime() - lastSeenAt.getTime() <= TOUCH_MS) return
    try {
      await db.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.id, id))
    } catch (error) {
      log.warn({ err: error }, 'the last use of a session could not be noted')
    }
  }

  /** Undefined for a session that is over in any way. */
  const actorOf = async (row: FoundSession | undefined, { isUse }: Look) => {
    if (!row?.user.isActive) return undefined
    const now = clock.now()
    if (isOver(row, row.user.role, now)) return undefined
    if (isUse) await touch(row, now)
    return asActor(row, now)
  }

  const asActor = (row: FoundSession, now: Date): Actor => {
    const { client, user } = row
    const isSimulating =
      client?.isActive === true &&
      client.role === 'client' &&
      isStaffRole(user.role) &&
      row.simulationEndsAt !== null &&
      row.simulationEndsAt > now
    const secondFactor =
      row.secondFactorSince === null ? undefined : { provenAt: row.secondFactorAt }
    const common = { sessionId: row.id, secondFactor }
    return isSimulating
      ? { ...common, user: client, admin: { id: user.id, email: user.email, role: user.role } }
      : { ...common, user, admin: undefined }
  }

  return {
    /** The actor of a cookie's value. */
    resolve: async (token: string, look = BY_A_PERSON): Promise<Actor | undefined> =>
      actorOf(await find(token), look),

    /**
     * The same for a route that always reads the same row: one round trip to the database instead
     * of two. What was read for a session that is over is dropped.
     */
    resolveWith<Row>(name: string, row: LookUp<Row>) {
      const findWith = createFindSessionWith(db, name, row)
      return async (
        token: string,
        values: Record<string, unknown>,
        look = BY_A_PERSON,
      ): Promise<WithRow<Row> | undefined> => {
        const answer = await findWith(token, values)
        const actor = await actorOf(answer?.found, look)
        return answer && actor && { actor, row: answer.row }
      }
    },

    /** Signs in, always with a new token, so that no earlier one can be used. */
    async start(
      tx: Db,
      user: { id: number; role: string },
      device: string,
      { hasProof = false }: { hasProof?: boolean } = {},
    ): Promise<SessionToken> {
      const token = newToken()
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + lifetimeOf(user.role).total)
      await tx.insert(sessions).values({
        tokenHash: hashOfToken(token),
        userId: user.id,
        device,
        secondFactorAt: hasProof ? now : null,
        createdAt: now,
        lastSeenAt: now,
        expiresAt,
      })
      return { token, expiresAt }
    },

    /** The same session under a new token; with a client, simulating that client. */
    async rotate(
      tx: Db,
      sessionId: number,
      simulated: { userId: number } | undefined,
    ): Promise<SessionToken> {
      const token = newToken()
      const [row] = await tx
        .update(sessions)
        .set({
          tokenHash: hashOfToken(token),
          simulatedUserId: simulated?.userId ?? null,
          simulationEndsAt: simulated ? new Date(clock.now().getTime() + SIMULATION_MS) : null,
        })
        .where(eq(sessions.id, sessionId))
        .returning({ userId: sessions.userId, expiresAt: sessions.expiresAt })
      if (!row) throw new Error('the session to rotate is gone')
      // Consoles and streams of the old token end now, and other tabs look who they are.
      await events.emit(tx, `user:${row.userId}`, { type: 'signed-out' })
      return { token, expiresAt: row.expiresAt }
    },

    /** A code of the second factor was accepted in this session. */
    async prove(tx: Db, sessionId: number): Promise<void> {
      await tx
        .update(sessions)
        .set({ secondFactorAt: clock.now() })
        .where(eq(sessions.id, sessionId))
    },

    async end(tx: Db, sessionId: number): Promise<void> {
      const [row] = await tx.delete(sessions).where(eq(sessions.id, sessionId)).returning()
      if (row) await events.emit(tx, `user:${row.userId}`, { type: 'signed-out' })
    },

    /** Ends the sessions of a user, and every simulation of that user. */
    async endAllOf(tx: Db, userId: number, except?: number): Promise<void> {
      const mine = eq(sessions.userId, userId)
      await tx
        .delete(sessions)
        .where(except === undefined ? mine : and(mine, ne(sessions.id, except)))
      await tx
        .update(sessions)
        .set({ simulatedUserId: null, simulationEndsAt: null })
        .where(eq(sessions.simulatedUserId, userId))
      await events.emit(tx, `user:${userId}`, { type: 'signed-out' })
    },

    /** Those that are not over, the last used first. */
    async listOf({ id, role }: { id: number; role: string }) {
      const isTheirs = eq(sessions.userId, id)
      const rows = await db
        .select()
        .from(sessions)
        .where(isTheirs)
        .orderBy(desc(sessions.lastSeenAt))
      return rows.filter((row) => !isOver(row, role, clock.now()))
    },

    /** Deletes sessions that are over: they have no effect, but are data about people. */
    async prune(): Promise<void> {
      const now = clock.now()
      const idle = new Date(now.getTime() - LIFETIME.client.idle)
      await db
        .delete(sessions)
        .where(or(lt(sessions.expiresAt, now), lt(sessions.lastSeenAt, idle)))
    },
  }
}
