import { sql } from 'drizzle-orm'
import type { Database, Db } from './database.ts'

const BATCH = 500

/**
 * The whole database as SQL for an empty, migrated PostgreSQL, piece by piece.
 * Secrets stay sealed: the new place needs the same SECRET_KEY.
 */
export async function* exportSql({ db }: Pick<Database, 'db'>): AsyncGenerator<string> {
  yield '-- Load with psql, as a superuser, into a database that this version has migrated.\n'
  yield 'begin;\n'
  // Tokens and instances point at each other: no order of tables satisfies every foreign key.
  yield "set session_replication_role = 'replica';\n"
  for (const table of await tables(db)) yield* exportTable(db, table)
  yield* exportSequences(db)
  yield 'commit;\n'
}

async function rowsOf<T>(db: Db, query: ReturnType<typeof sql>): Promise<T[]> {
  const { rows } = (await db.execute(query)) as unknown as { rows: T[] }
  return rows
}

async function tables(db: Db): Promise<string[]> {
  const found = await rowsOf<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables
        where schemaname = 'public' and tablename <> 'migrations' order by 1`,
  )
  return found.map(({ name }) => name)
}

async function* exportTable(db: Db, table: string): AsyncGenerator<string> {
  const name = sql.identifier(table)
  for (let offset = 0; ; offset += BATCH) {
    const rows = await rowsOf<{ row: string }>(
      db,
      sql`select row_to_json(t)::text as row from ${name} t order by t limit ${BATCH} offset ${offset}`,
    )
    for (const { row } of rows) {
      const literal = `'${row.replaceAll("'", "''")}'`
      yield `insert into "${table}" select * from json_populate_record(null::"${table}", ${literal});\n`
    }
    if (rows.length < BATCH) return
  }
}

/** Without this the next row would be given an id that exists. */
async function* exportSequences(db: Db): AsyncGenerator<string> {
  const sequences = await rowsOf<{ name: string; last: string | null }>(
    db,
    sql`select sequencename as name, last_value::text as last
        from pg_sequences where schemaname = 'public'`,
  )
  for (const { name, last } of sequences) {
    if (last !== null) yield `select setval('"${name}"', ${last});\n`
  }
}
