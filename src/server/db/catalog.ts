import { type SQL, sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** The rows of a statement that no table of the schema describes. */
export async function rowsOf<T>(db: Db, query: SQL): Promise<T[]> {
  const { rows } = (await db.execute(query)) as unknown as { rows: T[] }
  return rows
}

/** Every table of ours that exists, whatever version created it. */
export async function tableNames(db: Db): Promise<string[]> {
  const found = await rowsOf<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables
        where schemaname = 'public' and tablename <> 'migrations' order by 1`,
  )
  return found.map(({ name }) => name)
}

/** The last value of each sequence. Unused sequences are omitted. */
export async function sequences(db: Db): Promise<{ name: string; last: string }[]> {
  return await rowsOf(
    db,
    sql`select sequencename as name, last_value::text as last
        from pg_sequences where schemaname = 'public' and last_value is not null order by 1`,
  )
}

/** The columns an insert may name: all but the generated ones. */
export async function writableColumns(db: Db, table: string): Promise<SQL> {
  const found = await rowsOf<{ name: string }>(
    db,
    sql`select attname as name from pg_attribute
        where attrelid = format('public.%I', ${table}::text)::regclass
          and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
  )
  return sql.join(
    found.map(({ name }) => sql.identifier(name)),
    sql`, `,
  )
}

/**
 * Runs every deferred constraint check now, and defers later ones again. Until then PostgreSQL
 * refuses to alter a table with pending checks.
 */
export async function settleConstraints(tx: Db): Promise<void> {
  await tx.execute(sql`set constraints all immediate`)
  await tx.execute(sql`set constraints all deferred`)
}

/** Lifts the statement timeouts for this transaction: it reads everything. */
export async function takeTheTimeItNeeds(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
}
