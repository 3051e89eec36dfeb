import { createHash } from 'node:crypto'
import { asc, desc, gt, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { auditLog } from '../db/schema/accounts.ts'
import type { Clock } from '../deps.ts'

/** Everyone who appends takes this lock, so that the chain has no fork. */
const AUDIT_LOCK = 7_304_211
const GENESIS = '0'.repeat(64)
const BATCH = 1000

export type AuditEntry = {
  action: string
  /** What it was done to, such as `user:12`. */
  target?: string
  /** Never a secret. */
  details?: Record<string, unknown>
}

/** Who did it: an actor, or the account in whose name it happens later. */
export type Doer = { user: { id: number }; admin?: { id: number } | undefined }

export type Audit = ReturnType<typeof createAudit>

export function createAudit(clock: Clock) {
  return {
    /** Appends in the transaction of the act itself. Last in it: the lock lasts until its end. */
    async record(tx: Db, actor: Doer | undefined, entry: AuditEntry): Promise<void> {
      await tx.execute(sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`)
      const [last] = await tx
        .select({ hash: auditLog.hash })
        .from(auditLog)
        .orderBy(desc(auditLog.id))
        .limit(1)
      const row = {
        at: clock.now(),
        actorId: actor?.user.id ?? null,
        adminId: actor?.admin?.id ?? null,
        action: entry.action,
        target: entry.target ?? null,
        details: asStored(entry.details ?? {}),
        previousHash: last?.hash ?? GENESIS,
      }
      await tx.insert(auditLog).values({ ...row, hash: hashOf(row) })
    },
  }
}

/** As the database will give it back: what JSON changes, such as a date, must not change the hash. */
const asStored = (details: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(details))

type Hashed = Omit<typeof auditLog.$inferSelect, 'id' | 'hash'>

/** Every field counts, in a fixed order; jsonb does not keep the order of keys, so we sort them. */
function hashOf(row: Hashed): string {
  const fields = [
    row.previousHash,
    row.at.toISOString(),
    row.actorId,
    row.adminId,
    row.action,
    row.target,
    sorted(row.details),
  ]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, inner]) => [key, sorted(inner)])
}

/** Up to 1.0.1 the date in the entry of a renewal was stored, but not in its hash. */
function isEarlyRenewal(row: typeof auditLog.$inferSelect): boolean {
  if (row.action !== 'token.renew' || typeof row.details.until !== 'string') return false
  return hashOf({ ...row, details: { ...row.details, until: [] } }) === row.hash
}

export type AuditVerdict = { entries: number; brokenAt: number | undefined }

/** Walks the chain from the first entry; names the first that does not fit. */
export async function verifyAudit(db: Db): Promise<AuditVerdict> {
  let previous = GENESIS
  let lastId = 0
  let entries = 0
  for (;;) {
    const rows = await db
      .select()
      .from(auditLog)
      .where(gt(auditLog.id, lastId))
      .orderBy(asc(auditLog.id))
      .limit(BATCH)
    for (const row of rows) {
      const isTrue = hashOf(row) === row.hash || isEarlyRenewal(row)
      if (row.previousHash !== previous || !isTrue) {
        return { entries, brokenAt: row.id }
      }
      previous = row.hash
      lastId = row.id
      entries += 1
    }
    if (rows.length < BATCH) return { entries, brokenAt: undefined }
  }
}
