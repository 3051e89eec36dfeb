import { type SQL, sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** The rows of a statement that no table of the schema describes. */
export async function rowsOf<T>(db: Db, query: SQL): Promise<T[]> {
  const { rows } = (await db.execute(query)) as unknown as { rows: T[] }
  return rows
}

/** Every table of ours that is there, whatever version made it. */
export async function tableNames(db: Db): Promise<string[]> {
  const found = await rowsOf<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables
        where schemaname = 'public' and tablename <> 'migrations' order by 1`,
  )
  return found.map(({ name }) => name)
}

/** Where each sequence stands. One that was never used is not here. */
export async function sequences(db: Db): Promise<{ name: string; last: string }[]> {
  return await rowsOf(
    db,
    sql`select sequencename as name, last_value::text as last
        from pg_sequences where schemaname = 'public' and last_value is not null order by 1`,
  )
}

/** What an insert may name: not what the table computes by itself. */
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
 * Makes every check that waits for the commit now, and lets the next ones wait again. Until then
 * PostgreSQL refuses to alter a table that has such checks open.
 */
export async function settleConstraints(tx: Db): Promise<void> {
  await tx.execute(sql`set constraints all immediate`)
  await tx.execute(sql`set constraints all deferred`)
}

/** For this transaction the limits do not hold that keep a page from waiting: it reads everything. */
export async function takeTheTimeItNeeds(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
}
