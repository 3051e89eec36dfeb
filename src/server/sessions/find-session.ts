import { hash as digest } from 'node:crypto'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { asColumn, type LookUp, type Packed, packed, packedRow } from '../db/packed.ts'
import { secondFactors, sessions, users } from '../db/schema/accounts.ts'
import { batched } from '../lib/async/batch.ts'
import { actorFields } from './actor-fields.ts'

const client = alias(users, 'client')
const fields = {
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
}
export type FoundSession = Packed<typeof fields>

const { tokenHash } = sessions
const found = packed(fields)
const hasToken = eq(tokenHash, sql.placeholder('tokenHash'))

/** Only the hash of a token is stored. */
export const hashOfToken = (token: string) => digest('sha256', token)

/**
 * The most frequent query: every request needs it, so it is prepared, and concurrent requests share
 * one. A request alone asks by equality, because PostgreSQL keeps that plan and makes a new one for
 * every list.
 */
export function createFindSession(db: Db): (token: string) => Promise<FoundSession | undefined> {
  const one = selectSessions(db, hasToken)
  const several = selectSessions(db, sql`${tokenHash} = any(${sql.placeholder('tokenHashes')})`)
  const findOne = one.prepare('find_session')
  const findSeveral = several.prepare('find_sessions')
  const find = batched(async (hashes: string[]) => {
    const [hash] = hashes
    const rows =
      hashes.length === 1
        ? await findOne.execute({ tokenHash: hash })
        : await findSeveral.execute({ tokenHashes: hashes })
    return new Map(rows.map((row) => [row.tokenHash, row.found]))
  })
  return (token) => find(hashOfToken(token))
}

/**
 * Finds a session and looks up another row with it, in one question to the database. Without the
 * session nothing is looked up. `row` has placeholders, whose values come with each call.
 */
export function createFindSessionWith<Row>(db: Db, name: string, row: LookUp<Row>) {
  const question = selectSessions(db, hasToken, { row: asColumn(row) }).prepare(name)
  return async (token: string, values: Record<string, unknown>) => {
    const [answer] = await question.execute({ ...values, tokenHash: hashOfToken(token) })
    return answer as { found: FoundSession; row: Row } | undefined
  }
}

const selectSessions = (db: Db, where: SQL, more: Record<string, SQL> = {}) =>
  db
    .select({ tokenHash, found, ...more })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(secondFactors, eq(secondFactors.userId, sessions.userId))
    .where(where)
