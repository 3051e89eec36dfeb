import { join } from 'node:path'
import { eq, getTableName, like, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AddressState } from '#shared/api/servers/pools.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { rowsOf, tableNames } from '../db/catalog.ts'
import { openEmbedded } from '../db/connect/embedded.ts'
import { openPostgres } from '../db/connect/postgres.ts'
import type { Database, Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { orders } from '../db/schema/sales.ts'
import { backups } from '../db/schema/snapshots.ts'
import { tokens } from '../db/schema/stock.ts'
import { jobs } from '../db/schema/work.ts'
import { statement } from '../ledger/statement.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { SEALED_COLUMNS } from '../secrets/sealed-columns.ts'
import {
  type History,
  installationWithHistory,
  tablesWithoutRows,
} from '../testing/installation-with-history.ts'
import { runCommand } from '../testing/server-process.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES, testDb, testPostgresUrl } from '../testing/test-db.ts'
import { verifyBackup, writeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'
import { PASSING } from './snapshot.ts'

/** The key of every application that tests make. */
const SECRET_KEY = 'a key for tests, long enough to be one'
const keyring = createKeyring(SECRET_KEY)
const FOLDER = tempFolder('used')

const SOON = { timeout: 60_000, interval: 100 }

async function emptyDatabase(kind: Database['kind']): Promise<Database> {
  const database = await testDb(kind)
  await database.db.execute(sql`drop schema public cascade`)
  await database.db.execute(sql`create schema public`)
  return database
}

/** The exact rows, in any order. */
async function contentOf(db: Db): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {}
  for (const table of (await tableNames(db)).filter((name) => !PASSING.has(name))) {
    const [sum] = await rowsOf(
      db,
      sql`select count(*)::int as of, md5(string_agg(md5(t::text), '' order by md5(t::text))) as sum
          from ${sql.identifier(table)} t`,
    )
    content[table] = sum
  }
  return content
}

async function secretsOf(db: Db): Promise<string[]> {
  const opened: string[] = []
  for (const { table, name, column, row } of SEALED_COLUMNS) {
    for (const found of await db.select({ row, sealed: column }).from(table).orderBy(row)) {
      const key = String(found.row)
      const place = { table: getTableName(table), column: name, row: key }
      opened.push(keyring.open(place, String(found.sealed)))
    }
  }
  return opened
}

/** Sequences that would return an existing id. */
async function staleSequences(db: Db): Promise<string[]> {
  const owned = await rowsOf<{ table: string; column: string; sequence: string }>(
    db,
    sql`select c.table_name as table, c.column_name as column,
          pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) as sequence
        from information_schema.columns c where c.table_schema = 'public'
          and pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) is not null`,
  )
  const stale: string[] = []
  for (const { table, column, sequence } of owned) {
    const [found] = await rowsOf<{ good: boolean }>(
      db,
      sql`select coalesce((select max(${sql.identifier(column)}) from ${sql.identifier(table)}), 0)
            < nextval(${sequence}::regclass) as good`,
    )
    if (found?.good !== true) stale.push(sequence)
  }
  expect(owned.length).toBeGreaterThan(10)
  return stale
}

/**
 * Starts a server on it: clients sign in, jobs in progress continue, the next order is delivered.
 */
async function lifeGoesOn(database: Database, history: History): Promise<void> {
  // The new queue redelivers jobs that have been untouched for a minute.
  await database.db.update(jobs).set({ updatedAt: sql`now() - interval '2 minutes'` })
  const t = await testApp({ on: database, withJobs: true, env: { PAYMENT_PROVIDER: 'sandbox' } })
  await t.deps.links.refresh()
  for (const { id } of [history.t.cluster, history.second.cluster]) {
    await t.deps.hypervisors.of(id).inventory.refresh()
    await t.deps.sync.now(id)
  }
  const { username, generatedPassword: password } = history.registered
  const { cookie } = await t.visitor.attempt(api.auth.login, { body: { username, password } })
  const client = t.with(cookie ?? '')
  const [offer] = await client.call(api.marketplace.tokens)
  const params = { tokenId: offer?.tokenId ?? '' }
  const { order } = await client.call(api.marketplace.purchase, { params })
  const statusOf = async (id: number) =>
    (await t.db.select().from(orders).where(eq(orders.id, id)))[0]?.status
  const { waiting, provisioning } = history.underWay
  for (const id of [order.id, waiting.order.id, provisioning.order.id]) {
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('active'), SOON)
  }
  expect(await statement(t.db)).toMatchObject({ isBalanced: true })
  expect((await verifyAudit(t.db)).brokenAt).toBeUndefined()
  await t.close()
}

const HELD = 'Restored from a backup%'
const heldTokens = (db: Db): Promise<number> => db.$count(tokens, like(tokens.blocked, HELD))

async function statesOf(db: Db, table: string): Promise<string[]> {
  const column = sql.identifier(
    ['jobs', 'snapshots', 'backups', 'addresses'].includes(table) ? 'state' : 'status',
  )
  const rows = await rowsOf<{ of: string }>(
    db,
    sql`select distinct ${column} as of from ${sql.identifier(table)} order by 1`,
  )
  return rows.map(({ of }) => of)
}

describe.each(BOTH_DATABASES)('an installation in use on %s', async (kind) => {
  const dataDir = join(FOLDER, 'embedded')
  const database = kind === 'embedded' ? await openEmbedded(dataDir) : await testDb(kind)
  await migrate(database)
  const history = await installationWithHistory(database)
  const { db } = history.t
  const before = await contentOf(db)
  const books = await statement(db)
  const audit = await verifyAudit(db)
  const file = join(FOLDER, `${kind}.backup`)
  await writeBackup(database, SECRET_KEY, file)

  /** Everything that must be the same wherever it is restored. */
  const everythingIn = async (on: Db) => ({
    content: await contentOf(on),
    secrets: await secretsOf(on),
    books: await statement(on),
    audit: await verifyAudit(on),
  })
  const everything = await everythingIn(db)

  test('has a row of every table, in every possible state', async () => {
    expect(await tablesWithoutRows(db)).toEqual([])
    expect(await statesOf(db, 'orders')).toEqual([
      'active',
      'cancelled',
      'paid',
      'pending',
      'provisioning',
    ])
    expect(await statesOf(db, 'tokens')).toEqual([
      'assigned',
      'available',
      'cancelled',
      'expired',
      'pending',
      'ready',
    ])
    expect(await statesOf(db, 'payments')).toEqual(
      expect.arrayContaining(['confirming', 'expired', 'paid', 'pending', 'refunded']),
    )
    expect(await statesOf(db, 'snapshots')).toEqual(['creating', 'deleting', 'ready'])
    expect(await statesOf(db, 'backups')).toEqual(['creating', 'deleting', 'ready'])
    const origins = (await db.select().from(backups)).map(({ origin }) => origin)
    expect([...new Set(origins)].toSorted()).toEqual(['end', 'hand', 'schedule'])
    expect(await statesOf(db, 'jobs')).toEqual(
      expect.arrayContaining(['done', 'failed', 'queued', 'waiting']),
    )
    expect(await statesOf(db, 'addresses')).toEqual(AddressState.options.toSorted())
    expect(books).toMatchObject({ isBalanced: true })
    for (const cents of [books.held, books.earned, books.credit, books.unclaimed]) {
      expect(cents).toBeGreaterThanOrEqual(0)
    }
    expect(books.credit).toBeGreaterThan(0)
    expect(audit.brokenAt).toBeUndefined()
    expect(await db.select().from(auditLog)).toHaveLength(audit.entries)
    expect((await verifyBackup(file, [SECRET_KEY])).counts).toEqual(
      Object.fromEntries(
        Object.entries(before).map(([table, sum]) => [table, (sum as { of: number }).of]),
      ),
    )
  })

  test.each(BOTH_DATABASES)(
    'is restored in an empty %s and continues to work there',
    async (other) => {
      const to = await emptyDatabase(other)
      await restoreBackup(to, { file, secrets: [SECRET_KEY], isForced: false })
      expect(await everythingIn(to.db)).toEqual(everything)
      expect(await staleSequences(to.db)).toEqual([])
      if (kind === other) await lifeGoesOn(to, history)
      await to.close()
    },
  )

  test('is moved by the operator’s own commands', async () => {
    if (kind === 'postgres') return
    await history.close()
    await database.close()
    const here = { SECRET_KEY, DATA_DIR: dataDir }
    const saved = join(FOLDER, 'by-command.backup')
    const backup = await runCommand('backup', [saved], here)
    expect(backup.output).toMatch(/Proven by restoring it into a scratch database/)
    expect(backup.code).toBe(0)
    const elsewhere = { SECRET_KEY, DATA_DIR: join(FOLDER, 'elsewhere') }
    const restored = await runCommand('restore', [saved], elsewhere)
    expect(restored).toMatchObject({
      code: 0,
      output: expect.stringMatching(/ready tokens are not for sale[\s\S]*is whole/),
    })
    const again = await openEmbedded(elsewhere.DATA_DIR)
    // Ready stock waits for an operator; everything else is the same.
    expect(await heldTokens(again.db)).toBeGreaterThan(0)
    await again.db.update(tokens).set({ blocked: null }).where(like(tokens.blocked, HELD))
    expect(await everythingIn(again.db)).toEqual(everything)
    expect(await staleSequences(again.db)).toEqual([])
    await again.close()

    const DATABASE_URL = await testPostgresUrl()
    const moved = await runCommand('db-move', [], { ...here, DATABASE_URL })
    expect(moved).toMatchObject({ code: 0, output: expect.stringMatching(/Moved \d+ rows/) })
    const there = await openPostgres({ url: DATABASE_URL, onError: () => undefined })
    expect(await everythingIn(there.db)).toEqual(everything)
    expect(await staleSequences(there.db)).toEqual([])
    await lifeGoesOn(there, history)
    await there.close()
  })
})
