import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { count, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { createAudit } from '../audit/audit-log.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { rowsOf } from '../db/catalog.ts'
import type { Database } from '../db/database.ts'
import { applyMigrations, knownMigrations, migrate } from '../db/migrate.ts'
import { users } from '../db/schema/accounts.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { describeInstances } from '../inventory/sync/instance-details.ts'
import { systemClock } from '../lib/clock.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { readBackup, verifyBackup, writeBackup } from './backup.ts'
import { backupBeforeMigration } from './before-migration.ts'
import { restoreBackup } from './restore.ts'

const SECRET = 'a key for backups, long enough to be one'
const folder = () => tempFolder('backup')
const restore = (to: Database, file: string, isForced = false) =>
  restoreBackup(to, { file, secrets: [SECRET], isForced })

async function empty(kind: Database['kind']): Promise<Database> {
  const database = await testDb(kind)
  await database.db.execute(sql`drop schema public cascade`)
  await database.db.execute(sql`create schema public`)
  return database
}

async function digest({ db }: Database): Promise<unknown> {
  const digests: Record<string, unknown> = {}
  for (const table of ['users', 'usernames', 'tokens', 'instances', 'audit_log', 'jobs']) {
    digests[table] = await rowsOf(
      db,
      sql`select count(*)::int as of, md5(string_agg(t::text, '|' order by t::text)) as sum
          from ${sql.identifier(table)} t`,
    )
  }
  return digests
}

describe.each(BOTH_DATABASES)('a backup of %s', async (kind) => {
  const t = await testApp({ database: kind, sim: true })
  const client = await t.make.client({ firstName: 'Zoë \u{1f5dd}\n"quoted" \\ back' })
  await t.make.owned(t.cluster, 101, client)
  for (let n = 0; n < 3; n += 1) {
    await t.db.transaction((tx) =>
      createAudit(systemClock).record(tx, undefined, { action: 'test', details: { n, a: null } }),
    )
  }
  // The first sync of a cluster goes on in the background, and would change rows after the backup.
  const readOn = () => describeInstances(t.deps, t.cluster.id)
  await vi.waitUntil(async () => (await readOn()) === 0, { timeout: 60_000 })
  const file = join(folder(), 'x.backup')
  await writeBackup(t.database, SECRET, file)

  test('is read back completely, and contains no session', async () => {
    const header = await verifyBackup(file, [SECRET])
    expect(header.migrations).toEqual(knownMigrations())
    expect(header.counts.users).toBe(1)
    expect(Object.keys(header.counts)).not.toContain('sessions')
  })

  test.each(BOTH_DATABASES)('is complete in an empty %s', async (other) => {
    const to = await empty(other)
    await restore(to, file)
    expect(await digest(to)).toEqual(await digest(t.database))
    expect((await verifyAudit(to.db)).brokenAt).toBeUndefined()
    const before = await rowsOf(t.db, sql`select max(id)::int as id from users`)
    const [next] = await to.db
      .insert(users)
      .values({ username: '7654321', passwordHash: 'x' })
      .returning()
    expect(before).toEqual([{ id: (next?.id ?? 0) - 1 }])
    // The foreign keys are back, and so is the guard of the audit log.
    const orphan = to.db.insert(instances).values({ clusterId: 999, vmId: 1, name: 'x' })
    await expect(orphan).rejects.toMatchObject({
      cause: { message: expect.stringContaining('foreign key') },
    })
    await expect(to.db.execute(sql`delete from audit_log`)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
    await to.close()
  })

  test('replaces existing data only with --force', async () => {
    const to = await testDb(kind)
    await to.db.insert(users).values({ username: '1111111', passwordHash: 'x' })
    const before = await digest(to)
    await expect(restore(to, file)).rejects.toThrow(/not empty\. Add --force/)
    expect(await digest(to)).toEqual(before)
    await restore(to, file, true)
    expect(await digest(to)).toEqual(await digest(t.database))
    await to.close()
  })

  test('that is altered near its end changes nothing', async () => {
    const to = await testDb(kind)
    await to.db.insert(users).values({ username: '1111111', passwordHash: 'x' })
    const before = await digest(to)
    const { readFileSync } = await import('node:fs')
    const bytes = readFileSync(file)
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1
    const bad = join(folder(), 'bad.backup')
    writeFileSync(bad, bytes)
    await expect(restore(to, bad, true)).rejects.toThrow(/damaged or was altered/)
    expect(await digest(to)).toEqual(before)
    await to.close()
  })

  test('of a newer version is refused', async () => {
    const to = await testDb(kind)
    await to.db.execute(sql`insert into migrations (tag) values ('9999_from_the_future')`)
    const newer = join(folder(), 'newer.backup')
    await writeBackup(to, SECRET, newer)
    await expect(restore(to, newer, true)).rejects.toThrow(
      /newer Hushbox \(migrations unknown here: 9999_from_the_future\)/,
    )
    await to.close()
  })

  test('never overwrites another file', async () => {
    await expect(writeBackup(t.database, SECRET, file)).rejects.toThrow(/exists already/)
    expect((await verifyBackup(file, [SECRET])).counts.users).toBe(1)
  })

  test('is made before a migration, the last three are kept, and it can be restored', async () => {
    const database = await empty(kind)
    const [first] = knownMigrations()
    await database.db.transaction((tx) => applyMigrations(tx, [first ?? '']))
    // Plain SQL: the older table lacks some of today's columns.
    await database.db.execute(
      sql`insert into users (username, password_hash) values ('2222222', 'x')`,
    )
    const dataDir = folder()
    const made: (string | undefined)[] = []
    for (let n = 0; n < 4; n += 1) made.push(await backupBeforeMigration(database, dataDir, SECRET))
    expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(3)
    await migrate(database)
    expect(await backupBeforeMigration(database, dataDir, SECRET)).toBeUndefined()

    // An older backup is migrated to this version.
    const old = made.at(-1) ?? ''
    await readBackup(old, [SECRET], async (header) => expect(header.migrations).toEqual([first]))
    await restore(database, old, true)
    const [found] = await database.db.select({ of: count() }).from(users)
    expect(found?.of).toBe(1)
    expect(await database.db.select().from(tokens)).toEqual([])
    expect(await migrate(database)).toEqual([])
    await database.close()
  })
})
