import { sql } from 'drizzle-orm'
import { rowsOf, sequences, tableNames, takeTheTimeItNeeds } from '../db/catalog.ts'
import type { Database, Db } from '../db/database.ts'
import { appliedMigrations } from '../db/migrate.ts'
import { VERSION } from '../lib/version.ts'
import { BackupError, type BackupFacts } from './sealed-file.ts'

const BATCH = 500

/**
 * What a restored installation must not contain: sessions that may have ended since, codes that may
 * have been withdrawn, tickets, challenges and events for pages that are closed, workers that are gone, counters
 * of a past minute.
 */
export const PASSING: ReadonlySet<string> = new Set([
  'console_tickets',
  'events',
  'handover_codes',
  'heartbeats',
  'limits',
  'passkey_challenges',
  'sessions',
])

/**
 * A snapshot of the whole database, while others continue to write. Excludes the queue's own
 * tables: jobs are rows of ours, and what the queue no longer knows is delivered again
 * (decision 002).
 */
export async function withSnapshot<T>(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  work: (facts: BackupFacts, lines: AsyncGenerator<string>) => Promise<T>,
): Promise<T> {
  return await db.transaction(
    async (tx) => {
      await takeTheTimeItNeeds(tx)
      const tables = (await tableNames(tx)).filter((name) => !PASSING.has(name))
      if (tables.length === 0) throw new BackupError('There is nothing in this database yet.')
      const counts: Record<string, number> = {}
      for (const table of tables) counts[table] = await countOf(tx, table)
      const facts: BackupFacts = {
        madeAt: new Date().toISOString(),
        version: VERSION,
        database: kind,
        migrations: (await appliedMigrations(tx)).sort(),
        counts,
      }
      return await work(facts, linesOf(tx, tables))
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** `table name`, its rows as JSON, the next table; at the end the value of each sequence. */
async function* linesOf(tx: Db, tables: string[]): AsyncGenerator<string> {
  for (const table of tables) {
    yield `table ${table}\n`
    yield* rowsOfTable(tx, table)
  }
  for (const { name, last } of await sequences(tx)) yield `sequence ${name} ${last}\n`
}

/** Kept as text throughout: JavaScript would round the largest numbers. */
async function* rowsOfTable(tx: Db, table: string): AsyncGenerator<string> {
  const name = sql.identifier(table)
  await tx.execute(sql`declare backup_rows no scroll cursor for
    select row_to_json(t)::text as row from ${name} t`)
  for (;;) {
    const rows = await rowsOf<{ row: string }>(tx, sql.raw(`fetch ${BATCH} from backup_rows`))
    if (rows.length === 0) break
    yield rows.map(({ row }) => `${row}\n`).join('')
  }
  await tx.execute(sql`close backup_rows`)
}

async function countOf(tx: Db, table: string): Promise<number> {
  const [row] = await rowsOf<{ of: string | number }>(
    tx,
    sql`select count(*) as of from ${sql.identifier(table)}`,
  )
  return Number(row?.of ?? 0)
}
