import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { inject } from 'vitest'
import { wrapPglite } from '../db/connect/embedded.ts'
import { createPglite } from '../db/connect/pglite.ts'
import { openPostgres } from '../db/connect/postgres.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { migratedDump } from './migrated.ts'

export type DatabaseKind = Database['kind']
/** Where the database itself is the subject, or a drill of it. */
export const BOTH_DATABASES: DatabaseKind[] = ['embedded', 'postgres']
/** Where it is not: `npm test` asks PostgreSQL alone, `npm test -- all` and a single file both. */
export const EACH_DATABASE: DatabaseKind[] =
  process.env.ONE_DATABASE === '1' ? ['postgres'] : BOTH_DATABASES

const TEMPLATE = 'hushbox_template'

/** A migrated database of this kind, for one test file alone. */
export const testDb = (kind: DatabaseKind): Promise<Database> =>
  kind === 'embedded' ? embeddedCopy() : postgresCopy()

async function embeddedCopy(): Promise<Database> {
  const dump = new Blob([readFileSync(inject('pgliteDump'))])
  return wrapPglite(await createPglite({ loadDataDir: dump }), async () => {})
}

async function postgresCopy(): Promise<Database> {
  const url = await testPostgresUrl()
  return await openPostgres({ url, onError: (error) => process.emitWarning(error) })
}

/** The URL of a new migrated PostgreSQL database, for tests that start whole processes. */
export async function testPostgresUrl(): Promise<string> {
  const server = inject('postgresUrl')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name} template ${TEMPLATE}`)
  return server.replace(/\/postgres$/, `/${name}`)
}

/** Empties every table. The audit log refuses that, so its guard is disabled for the moment. */
export async function emptyTables({ db }: Database): Promise<void> {
  await db.execute(sql`do $$ declare names text; begin
    select string_agg(quote_ident(tablename), ', ') into names
      from pg_tables where schemaname = 'public' and tablename <> 'migrations';
    alter table audit_log disable trigger user;
    execute 'truncate ' || names || ' restart identity cascade';
    alter table audit_log enable trigger user;
  end $$`)
}

/** Called once per run: creates a template database, and the dump of an embedded one. */
export async function makeTemplates(server: string): Promise<string> {
  await onServer(server, `create database ${TEMPLATE}`)
  const template = await openPostgres({
    url: server.replace(/\/postgres$/, `/${TEMPLATE}`),
    onError: () => undefined,
  })
  await migrate(template)
  await template.close()
  return await migratedDump()
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
