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
