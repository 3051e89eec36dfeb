import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { rowsOf } from './catalog.ts'
import type { Db } from './database.ts'

type OldRow = {
  id: string
  at: string
  actor_id: number | null
  admin_id: number | null
  action: string
  target: string | null
  details: unknown
  previous_hash: string
  hash: string
}

const BATCH = 1000

/**
 * Verifies the chain in its format up to 1.0.1 one last time before its entries are sealed again:
 * that must not hide a break. The migration writes the result into the entry that it adds.
 */
export async function noteOldChain(tx: Db): Promise<void> {
  const brokenAt = await firstBreak(tx)
  await tx.execute(
    sql`select set_config('hushbox.audit_broken_at', ${String(brokenAt ?? '')}, true)`,
  )
}

async function firstBreak(tx: Db): Promise<string | undefined> {
  let previous = '0'.repeat(64)
  let lastId = '0'
  for (;;) {
    const rows = await rowsOf<OldRow>(
      tx,
      sql`select id::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
          actor_id, admin_id, action, target, details, previous_hash, hash
        from audit_log where id > ${lastId}::bigint order by audit_log.id limit ${BATCH}`,
    )
    for (const row of rows) {
      if (row.previous_hash !== previous || !isTrue(row)) return row.id
      previous = row.hash
      lastId = row.id
    }
    if (rows.length < BATCH) return undefined
  }
}

const isTrue = (row: OldRow): boolean => oldHash(row) === row.hash || isEarlyRenewal(row)

/** Up to 1.0.1 the date in the entry of a renewal was stored, but was not part of its hash. */
function isEarlyRenewal(row: OldRow): boolean {
  if (row.action !== 'token.renew') return false
  return oldHash({ ...row, details: { ...(row.details as object), until: [] } }) === row.hash
}

export function oldHash(row: Omit<OldRow, 'id' | 'hash'>): string {
  const { previous_hash, at, actor_id, admin_id, action, target, details } = row
  const fields = [previous_hash, at, actor_id, admin_id, action, target, sorted(details)]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, inner]) => [key, sorted(inner)])
}
