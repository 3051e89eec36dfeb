import { sql } from 'drizzle-orm'
import { rowsOf, settleConstraints, takeTheTimeItNeeds, writableColumns } from '../db/catalog.ts'
import type { Database, Db } from '../db/database.ts'
import { applyMigrations, knownMigrations } from '../db/migrate.ts'
import { readBackup } from './backup.ts'
import { BackupError, type BackupHeader } from './sealed-file.ts'

const BATCH = 500
/** Limits the size of a statement for wide tables, which could reach hundreds of megabytes. */
const BATCH_CHARACTERS = 2 * 1024 * 1024

export type RestoreOptions = {
  file: string
  /** The current key, and the previous one. */
  secrets: string[]
  /** Replaces existing data. */
  isForced: boolean
  /** Runs in the same transaction, once everything is loaded. */
  afterwards?: (tx: Db, header: BackupHeader) => Promise<void>
}

/**
 * Replaces the contents of the database with a backup. One transaction: a file that turns out to be
 * truncated or altered changes nothing. An older backup is migrated to this version.
 */
export async function restoreBackup(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  { file, secrets, isForced, afterwards }: RestoreOptions,
): Promise<BackupHeader> {
  return await readBackup(file, secrets, async (header, lines) => {
    const known = knownMigrations()
    const unknown = header.migrations.filter((tag) => !known.includes(tag))
    if (unknown.length > 0) {
      throw new BackupError(
        `The backup is of a newer Hushbox (migrations unknown here: ${unknown.join(', ')}). ` +
          'Install that version first.',
      )
    }
    await db.transaction(async (tx) => {
      await takeTheTimeItNeeds(tx)
      if (kind === 'postgres') await refuseBesideServer(tx)
      if (!isForced) await refuseFilled(tx)
      await clear(tx)
      await applyMigrations(tx, header.migrations)
      const links = await dropLinks(tx)
      const loaded = await load(tx, lines)
      compare(header.counts, loaded)
      // A table with deferred checks pending, such as the ledger, cannot be altered (55006).
      await settleConstraints(tx)
      for (const link of links) await tx.execute(sql.raw(link))
      await applyMigrations(
        tx,
        known.filter((tag) => !header.migrations.includes(tag)),
      )
      await afterwards?.(tx, header)
    })
    return header
  })
}

/** A running server's caches and queue would not notice the change. */
async function refuseBesideServer(tx: Db): Promise<void> {
  const others = await rowsOf(
    tx,
    sql`select 1 from pg_stat_activity where datname = current_database()
        and application_name like 'hushbox%' and pid <> pg_backend_pid() limit 1`,
  )
  if (others.length > 0) {
    throw new BackupError('Hushbox is running on this database. Stop every process of it first.')
  }
}

async function refuseFilled(tx: Db): Promise<void> {
  const tables = await rowsOf<{ found: string | null }>(
    tx,
    sql`select to_regclass('public.users')::text as found`,
  )
  if (tables[0]?.found === null) return
  const users = await rowsOf(tx, sql`select 1 from users limit 1`)
  if (users.length > 0) {
    throw new BackupError(
      'The database is not empty. Add --force to replace everything in it with the backup.',
    )
  }
}

/** Drops our tables and functions, and the queue: it redelivers what the restored jobs need. */
async function clear(tx: Db): Promise<void> {
  const found = await rowsOf<{ statement: string }>(
    tx,
    sql`select format('drop view %I.%I cascade', schemaname, viewname) as statement
          from pg_views v where schemaname = 'public' and not exists (
            select 1 from pg_depend d where d.deptype = 'e'
              and d.objid = format('%I.%I', v.schemaname, v.viewname)::regclass)
        union all
        select format('drop table %I.%I cascade', schemaname, tablename)
          from pg_tables where schemaname = 'public'
        union all
        select format('drop function %s cascade', p.oid::regprocedure)
          from pg_proc p where p.pronamespace = 'public'::regnamespace and not exists (
            select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  for (const { statement } of found) await tx.execute(sql.raw(statement))
  await tx.execute(sql`drop schema if exists pgboss cascade`)
}

/**
 * Tables refer to each other in circles, so no order of loading satisfies every foreign key.
 * Returns the statements that restore the keys, which also proves that every reference is valid.
 */
async function dropLinks(tx: Db): Promise<string[]> {
  const links = await rowsOf<{ owner: string; name: string; definition: string }>(
    tx,
    sql`select conrelid::regclass::text as owner, quote_ident(conname) as name,
          pg_get_constraintdef(oid) as definition
        from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  )
  for (const { owner, name } of links) {
    await tx.execute(sql.raw(`alter table ${owner} drop constraint ${name}`))
  }
  return links.map(
    ({ owner, name, definition }) => `alter table ${owner} add constraint ${name} ${definition}`,
  )
}

async function load(tx: Db, lines: AsyncGenerator<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let table = ''
  let columns = sql``
  let rows: string[] = []
  let size = 0
  const flush = async () => {
    if (rows.length === 0) return
    const name = sql.identifier(table)
    const json = `[${rows.join(',')}]`
    await tx.execute(
      sql`insert into ${name} (${columns}) overriding system value
          select ${columns} from json_populate_recordset(null::${name}, ${json}::json)`,
    )
    counts[table] = (counts[table] ?? 0) + rows.length
    rows = []
    size = 0
  }
  for await (const line of lines) {
    if (line.startsWith('{')) {
      rows.push(line)
      size += line.length
      if (rows.length >= BATCH || size >= BATCH_CHARACTERS) await flush()
      continue
    }
    await flush()
    const [what, name, value] = line.split(' ')
    if (what === 'table' && name) {
      table = name
      columns = await writableColumns(tx, table)
    } else if (what === 'sequence' && name && value) await continueFrom(tx, name, value)
    else throw new BackupError(`The backup has a line this version does not know: ${what}.`)
  }
  await flush()
  return counts
}

/** Without this the next row would get an existing id. */
async function continueFrom(tx: Db, sequence: string, value: string): Promise<void> {
  await tx.execute(sql`select setval(${`public."${sequence}"`}::regclass, ${value}::bigint)`)
}

function compare(promised: Record<string, number>, loaded: Record<string, number>): void {
  for (const [table, count] of Object.entries(promised)) {
    if ((loaded[table] ?? 0) === count) continue
    throw new BackupError(
      `The backup has ${loaded[table] ?? 0} rows of ${table} and its header says ${count}.`,
    )
  }
}
