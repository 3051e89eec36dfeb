import { sql } from 'drizzle-orm'
import { rowsOf, sequences, tableNames } from './catalog.ts'
import type { Database, Db } from './database.ts'

const BATCH = 500

/**
 * The whole database as SQL for an empty, migrated PostgreSQL, in chunks. Secrets stay sealed: the
 * new installation needs the same SECRET_KEY.
 */
export async function* exportSql({ db }: Pick<Database, 'db'>): AsyncGenerator<string> {
  yield '-- Load with psql, as a superuser, into a database that this version has migrated.\n'
  yield 'begin;\n'
  // Tokens and instances refer to each other: no order of tables satisfies every foreign key.
  yield "set session_replication_role = 'replica';\n"
  for (const table of await tableNames(db)) yield* exportTable(db, table)
  yield* exportSequences(db)
  yield 'commit;\n'
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

/** Without this the next row would get an existing id. */
async function* exportSequences(db: Db): AsyncGenerator<string> {
  for (const { name, last } of await sequences(db)) yield `select setval('"${name}"', ${last});\n`
}
