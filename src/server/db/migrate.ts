import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { ROOT } from '../lib/root.ts'
import { rowsOf, settleConstraints } from './catalog.ts'
import type { Database, Db } from './database.ts'
import { noteOldChain } from './old-chain.ts'

const FOLDER = join(ROOT, 'src/server/db/migrations')
/** An arbitrary number: every process that migrates this database takes the same lock. */
const MIGRATION_LOCK = 7_304_210

const MIGRATIONS_TABLE = sql`create table if not exists migrations (
  tag text primary key, applied_at timestamptz not null default now())`

const Journal = z.object({ entries: z.array(z.object({ tag: z.string() })) })

export class NewerSchemaError extends Error {
  constructor(unknown: string[]) {
    super(
      `The database was used by a newer Hushbox (migrations unknown here: ${unknown.join(', ')}). ` +
        'Start that version, or restore a backup made before the upgrade.',
    )
    this.name = 'NewerSchemaError'
  }
}

/** The names of our migrations, oldest first. */
export function knownMigrations(folder = FOLDER): string[] {
  const journal = readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')
  return Journal.parse(JSON.parse(journal)).entries.map((entry) => entry.tag)
}

/**
 * Brings the schema up to date: each migration in the same transaction as its record, all under one
 * lock, so that several processes may start at once.
 */
export async function migrate({ db }: Pick<Database, 'db'>, folder = FOLDER): Promise<string[]> {
  const known = knownMigrations(folder)
  return await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await tx.execute(MIGRATIONS_TABLE)
    const applied = new Set(await appliedMigrations(tx))
    const unknown = [...applied].filter((tag) => !known.includes(tag))
    if (unknown.length > 0) throw new NewerSchemaError(unknown)
    const missing = known.filter((tag) => !applied.has(tag))
    for (const tag of missing) await apply(tx, folder, tag)
    return missing
  })
}

/** The migrations this program would apply to a database in use; empty for a new one. */
export async function pendingMigrations({ db }: Pick<Database, 'db'>): Promise<string[]> {
  const [table] = await rowsOf<{ found: string | null }>(
    db,
    sql`select to_regclass('public.migrations')::text as found`,
  )
  if (!table?.found) return []
  const applied = await appliedMigrations(db)
  return applied.length === 0 ? [] : knownMigrations().filter((tag) => !applied.includes(tag))
}

/** Applies exactly these, to a database that a backup is loaded into. */
export async function applyMigrations(tx: Db, tags: string[]): Promise<void> {
  await tx.execute(MIGRATIONS_TABLE)
  for (const tag of tags) await apply(tx, FOLDER, tag)
}

export async function appliedMigrations(db: Db): Promise<string[]> {
  const rows = await rowsOf<{ tag: string }>(db, sql`select tag from migrations`)
  return rows.map((row) => row.tag)
}

async function apply(tx: Db, folder: string, tag: string): Promise<void> {
  const file = readdirSync(folder).find((name) => name === `${tag}.sql`)
  if (file === undefined) throw new Error(`migration ${tag} is in the journal but not on disk`)
  if (tag.endsWith('_unlinked-audit')) await noteOldChain(tx)
  const statements = readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint')
  for (const statement of statements) await tx.execute(sql.raw(statement))
  // The next migration may alter a table that this one wrote to.
  await settleConstraints(tx)
  await tx.execute(sql`insert into migrations (tag) values (${tag})`)
}
