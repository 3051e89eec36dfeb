import { hash as digest } from 'node:crypto'
import { and, eq, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { packed, packedRow } from '../db/packed.ts'
import { secondFactors, sessions, users } from '../db/schema/accounts.ts'
import type { EventBus } from '../events/event-bus.ts'
import { batched } from '../lib/async/batch.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Actor } from './actor.ts'
import { actorFields } from './actor-fields.ts'

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

/** The value of the cookie, known to the browser alone. */
export type SessionToken = { token: string; expiresAt: Date }

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  clock,
  random,
  events,
}: {
  db: Db
  clock: Clock
  random: Random
  events: EventBus
}) {
  const newToken = () => random.bytes(32).toString('base64url')
  const find = findTogether(db)

  return {
    /** The actor of a cookie's value; undefined for a session that is over in any way. */
    async resolve(token: string): Promise<Actor | undefined> {
      const row = await find(hash(token))
      if (!row?.user.isActive) return undefined
      const now = clock.now()
      const isIdle = now.getTime() - row.lastSeenAt.getTime() > lifetimeOf(row.user.role).idle
      if (row.expiresAt <= now || isIdle) return undefined
      if (now.getTime() - row.lastSeenAt.getTime() > TOUCH_MS) {
        await db.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.id, row.id))
      }
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
        tokenHash: hash(token),
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
          tokenHash: hash(token),
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

    listOf: (userId: number) =>
      db.select().from(sessions).where(eq(sessions.userId, userId)).orderBy(sql`last_seen_at desc`),

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

/**
 * The most frequent query: every request needs it, so it is prepared, and concurrent requests share
 * one. A request alone asks by equality, because PostgreSQL keeps that plan and makes a new one for
 * every list.
 */
function findTogether(db: Db) {
  const one = sessionsWhere(db, eq(sessions.tokenHash, sql.placeholder('tokenHash')))
  const several = sessionsWhere(
    db,
    sql`${sessions.tokenHash} = any(${sql.placeholder('tokenHashes')})`,
  )
  const findOne = one.prepare('find_session')
  const findSeveral = several.prepare('find_sessions')
  return batched(async (tokenHashes: string[]) => {
    const [tokenHash] = tokenHashes
    const rows =
      tokenHashes.length === 1
        ? await findOne.execute({ tokenHash })
        : await findSeveral.execute({ tokenHashes })
    return new Map(rows.map(({ tokenHash: hash, found }) => [hash, found]))
  })
}

function sessionsWhere(db: Db, where: SQL) {
  const client = alias(users, 'client')
  const found = packed({
    id: sessions.id,
    expiresAt: sessions.expiresAt,
    lastSeenAt: sessions.lastSeenAt,
    simulationEndsAt: sessions.simulationEndsAt,
    secondFactorAt: sessions.secondFactorAt,
    secondFactorSince: secondFactors.confirmedAt,
    user: actorFields(users),
    client: packedRow(
      actorFields(client),
      sql`${users} as ${client} where ${client.id} = ${sessions.simulatedUserId}`,
    ),
  })
  return db
    .select({ tokenHash: sessions.tokenHash, found })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(secondFactors, eq(secondFactors.userId, sessions.userId))
    .where(where)
}

const hash = (token: string) => digest('sha256', token)
