import { createHash, randomBytes } from 'node:crypto'
import { inArray, sql } from 'drizzle-orm'
import { rowsOf } from '../db/catalog.ts'
import type { Db } from '../db/database.ts'
import { auditCheckpoints, auditLog, users } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'

/** Every append takes this lock, so that the chain has no fork. */
export const AUDIT_LOCK = 7_304_211
export const GENESIS = '0'.repeat(64)

export type AuditEntry = {
  action: string
  /** The target, such as `order:12`. An account (`user:12`) is stored as the subject. */
  target?: string
  /** The account it concerns, if the target is something else. */
  subject?: number
  /** Never a secret, and never the identity of an account: use the subject for that. */
  details?: Record<string, unknown>
}

/** Who acted: an actor, or the account in whose name it happens later. */
export type Doer = { user: { id: number }; admin?: { id: number } | undefined }

export type Audit = ReturnType<typeof createAudit>

export function createAudit(clock: Clock) {
  return {
    /**
     * Appends in the transaction of the action itself. Call it last: the lock is held until the
     * end.
     */
    async record(tx: Db, actor: Doer | undefined, entry: AuditEntry): Promise<void> {
      const { subject, target } = subjectOf(entry)
      const people = { actor: actor?.user.id, admin: actor?.admin?.id, subject }
      // Locks the accounts before the log, in the same order as a deletion.
      const keys = await keysOf(tx, Object.values(people))
      await tx.execute(sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`)
      const [state] = await rowsOf<{ details: string; last: string | null }>(
        tx,
        sql`select ${JSON.stringify(withoutPeople(entry.details))}::jsonb::text as details,
          coalesce((select hash from ${auditLog} order by id desc limit 1),
            (select hash from ${auditCheckpoints} order by id desc limit 1)) as last`,
      )
      if (!state) throw new Error('the database did not answer')
      const previousHash = state.last ?? GENESIS
      const named = (id: number | undefined) => nameOf(id, keys, previousHash)
      const [by, admin, about] = [named(people.actor), named(people.admin), named(subject)]
      const row = {
        at: clock.now(),
        actorSeal: by.seal,
        adminSeal: admin.seal,
        subjectSeal: about.seal,
        action: entry.action,
        target: target ?? null,
        previousHash,
      }
      await tx.insert(auditLog).values({
        ...row,
        actorId: by.id,
        adminId: admin.id,
        subjectId: about.id,
        details: JSON.parse(state.details) as Record<string, unknown>,
        hash: hashOf(row, state.details),
      })
    },
  }
}

const USER = /^user:(\d+)$/

function subjectOf({ target, subject, details }: AuditEntry) {
  const named = USER.exec(target ?? '')?.[1]
  if (named !== undefined) return { subject: Number(named), target: 'user' }
  const id = subject ?? details?.userId ?? details?.clientUserId
  return { subject: typeof id === 'number' ? id : undefined, target }
}

/** Keys that identify a person; they are removed from the details of every entry. */
const PEOPLE = new Set(['userId', 'clientUserId', 'ownerId', 'username', 'email'])
const withoutPeople = (details: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(details).filter(([key]) => !PEOPLE.has(key)))

async function keysOf(tx: Db, ids: (number | undefined)[]): Promise<Map<number, string>> {
  const known = ids.filter((id) => id !== undefined)
  if (known.length === 0) return new Map()
  const rows = await tx
    .select({ id: users.id, key: users.auditKey })
    .from(users)
    .where(inArray(users.id, known))
    .orderBy(users.id)
    .for('key share')
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** A deleted account has no key left, so it gets a random seal that leads to no account. */
function nameOf(id: number | undefined, keys: Map<number, string>, previousHash: string) {
  if (id === undefined) return { id: null, seal: null }
  const key = keys.get(id)
  return key === undefined
    ? { id: null, seal: randomBytes(32).toString('hex') }
    : { id, seal: sealOf(key, previousHash, id) }
}

/**
 * Different for every entry: without the key no two entries can be attributed to the same account.
 */
export const sealOf = (key: string, previousHash: string, id: number): string =>
  sha256([key, previousHash, String(id)])

type Hashed = Pick<
  typeof auditLog.$inferSelect,
  'previousHash' | 'at' | 'actorSeal' | 'adminSeal' | 'subjectSeal' | 'action' | 'target'
>

/** Every field counts, in a fixed order; the details last, as the database writes them. */
export const hashOf = (row: Hashed, details: string): string =>
  sha256([
    row.previousHash,
    row.at.toISOString(),
    row.actorSeal ?? '',
    row.adminSeal ?? '',
    row.subjectSeal ?? '',
    row.action,
    row.target ?? '',
    details,
  ])

const sha256 = (fields: string[]) => createHash('sha256').update(fields.join('\n')).digest('hex')
