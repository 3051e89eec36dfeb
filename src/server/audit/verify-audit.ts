import { and, asc, desc, eq, gt, inArray, lte, ne, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { auditCheckpoints, auditLog, users } from '../db/schema/accounts.ts'
import { GENESIS, hashOf, sealOf } from './audit-log.ts'

const BATCH = 1000

export type AuditVerdict = {
  entries: number
  brokenAt: number | undefined
  /** Entries that refer to an account deleted since. */
  unlinked: number
}

type Row = Awaited<ReturnType<typeof readAfter>>[number]

/** Walks the chain from its first entry; names the first entry that does not fit. */
export async function verifyAudit(db: Db): Promise<AuditVerdict> {
  const start = await startOf(db)
  if (start === undefined) return { entries: 0, brokenAt: 1, unlinked: 0 }
  let { previous } = start
  let lastId = 0
  const admins = await adminKeys(db)
  const verdict: AuditVerdict = { entries: 0, brokenAt: undefined, unlinked: 0 }
  for (;;) {
    const rows = await readAfter(db, lastId)
    const keys = await keysOf(db, rows)
    for (const row of rows) {
      const isNext = row.previousHash === previous && row.id > start.after
      if (!isNext || hashOf(row, row.text) !== row.hash || !areTrue(row, keys, admins)) {
        return { ...verdict, brokenAt: row.id }
      }
      previous = row.hash
      lastId = row.id
      verdict.entries += 1
      if (people(row).some(({ id, seal }) => id === null && seal !== null)) verdict.unlinked += 1
    }
    if (rows.length < BATCH) return verdict
  }
}

/**
 * The first entry follows nothing, or the checkpoint; a checkpoint that no entry cites is a
 * forgery.
 */
async function startOf(db: Db): Promise<{ previous: string; after: number } | undefined> {
  const [checkpoint] = await db
    .select()
    .from(auditCheckpoints)
    .orderBy(desc(auditCheckpoints.id))
    .limit(1)
  if (!checkpoint) return { previous: GENESIS, after: 0 }
  const told = await db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.action, 'audit.prune'),
        sql`${auditLog.details} ->> 'hash' = ${checkpoint.hash}`,
      ),
    )
  return told.length === 1 ? { previous: checkpoint.hash, after: checkpoint.lastId } : undefined
}

const readAfter = (db: Db, id: number) =>
  db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actorId: auditLog.actorId,
      adminId: auditLog.adminId,
      subjectId: auditLog.subjectId,
      actorSeal: auditLog.actorSeal,
      adminSeal: auditLog.adminSeal,
      subjectSeal: auditLog.subjectSeal,
      action: auditLog.action,
      target: auditLog.target,
      text: sql<string>`${auditLog.details}::text`,
      previousHash: auditLog.previousHash,
      hash: auditLog.hash,
    })
    .from(auditLog)
    .where(gt(auditLog.id, id))
    .orderBy(asc(auditLog.id))
    .limit(BATCH)

const people = (row: Row) => [
  { id: row.actorId, seal: row.actorSeal },
  { id: row.adminId, seal: row.adminSeal },
  { id: row.subjectId, seal: row.subjectSeal },
]

async function keysOf(db: Db, rows: Row[]): Promise<Map<number, string>> {
  const ids = rows.flatMap((row) => people(row).map(({ id }) => id)).filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const found = await db
    .select({ id: users.id, key: users.auditKey })
    .from(users)
    .where(inArray(users.id, [...new Set(ids)]))
  return new Map(found.map(({ id, key }) => [id, key]))
}

type Key = { id: number; key: string }

const adminKeys = (db: Db): Promise<Key[]> =>
  db.select({ id: users.id, key: users.auditKey }).from(users).where(ne(users.role, 'client'))

/**
 * The ids are outside the hash: each must be the one that its seal was made for. If one is missing,
 * no administrator may fit the seal: their accounts exist, so the id was removed by hand.
 */
const areTrue = (row: Row, keys: Map<number, string>, admins: Key[]): boolean =>
  people(row).every(({ id, seal }) => {
    if (id === null) {
      return !admins.some((one) => seal === sealOf(one.key, row.previousHash, one.id))
    }
    const key = keys.get(id)
    return key !== undefined && seal === sealOf(key, row.previousHash, id)
  })

/** For the prune: the last entry before a given time. */
export async function lastBefore(db: Db, before: Date) {
  const [row] = await db
    .select({ id: auditLog.id, hash: auditLog.hash })
    .from(auditLog)
    .where(lte(auditLog.at, before))
    .orderBy(desc(auditLog.id))
    .limit(1)
  return row
}
