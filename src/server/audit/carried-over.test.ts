import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../db/catalog.ts'
import { wrapPglite } from '../db/connect/embedded.ts'
import { createPglite } from '../db/connect/pglite.ts'
import { openPostgres } from '../db/connect/postgres.ts'
import type { Db } from '../db/database.ts'
import { applyMigrations, knownMigrations, migrate } from '../db/migrate.ts'
import { oldHash } from '../db/old-chain.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { BOTH_DATABASES, type DatabaseKind, testPostgresUrl } from '../testing/test-db.ts'
import { createAudit } from './audit-log.ts'
import { verifyAudit } from './verify-audit.ts'

const AT = '2026-01-02T03:04:05.678Z'

async function emptyDatabase(kind: DatabaseKind) {
  if (kind === 'embedded') return wrapPglite(await createPglite(), async () => {})
  const url = await testPostgresUrl()
  const database = await openPostgres({ url, onError: () => undefined })
  await database.db.execute(sql`drop schema public cascade`)
  await database.db.execute(sql`create schema public`)
  return database
}

/** An installation of 1.0.1 in which one account (2) was deleted and one (1) remains. */
async function oldInstallation(db: Db, spoil = false) {
  const all = knownMigrations()
  const before = all.slice(
    0,
    all.findIndex((tag) => tag.endsWith('_unlinked-audit')),
  )
  await db.transaction((tx) => applyMigrations(tx, before))
  await db.execute(
    sql`insert into users (username, password_hash, role) values ('1111111', 'x', 'admin')`,
  )
  const entries: [number | null, string, string | null, Record<string, unknown>][] = [
    [null, 'auth.register', 'user:2', {}],
    [2, 'token.purchase', 'token:5', { orderId: 9, z: { b: [1, null], a: 'ü\n' } }],
    [1, 'user.delete', 'user:2', { username: '2222222', cancelledTokens: [5] }],
    [1, 'token.provision', 'token:6', { clientUserId: 2, orderId: 10 }],
    [1, 'user.update', 'user:1', { changed: ['firstName'] }],
  ]
  let previous_hash = '0'.repeat(64)
  for (const [actor_id, action, target, details] of entries) {
    const row = { previous_hash, at: AT, actor_id, admin_id: null, action, target, details }
    const hash = oldHash(row)
    await db.execute(sql`insert into audit_log (at, actor_id, action, target, details, previous_hash, hash)
      values (${AT}, ${actor_id}, ${action}, ${target}, ${JSON.stringify(details)}::jsonb, ${previous_hash}, ${hash})`)
    previous_hash = hash
  }
  await db.execute(sql`insert into jobs (id, kind, title, input)
    values ('j', 'provision', 'x', '{"userId": 2, "orderId": 9}')`)
  if (spoil) {
    await db.execute(sql`alter table audit_log disable trigger user`)
    await db.execute(sql`update audit_log set action = 'user.create' where id = 3`)
    await db.execute(sql`alter table audit_log enable trigger user`)
  }
  return { head: previous_hash }
}

describe.each(BOTH_DATABASES)('the log of an older version on %s', (kind) => {
  test('is migrated with a valid chain that names no deleted account and still names the others', async () => {
    const database = await emptyDatabase(kind)
    const { db } = database
    const { head } = await oldInstallation(db)
    await migrate(database)
    expect(await verifyAudit(db)).toEqual({ entries: 6, brokenAt: undefined, unlinked: 4 })
    const rows = await db.select().from(auditLog).orderBy(auditLog.id)
    expect(rows.map(({ actorId, subjectId, target }) => [actorId, subjectId, target])).toEqual([
      [null, null, 'user'],
      [null, null, 'token:5'],
      [1, null, 'user'],
      [1, null, 'token:6'],
      [1, 1, 'user'],
      [null, null, null],
    ])
    expect(rows[2]?.details).toEqual({ cancelledTokens: [5] })
    expect(rows[3]?.details).toEqual({ orderId: 10 })
    expect(rows[5]).toMatchObject({
      action: 'audit.carried-over',
      details: { entries: 5, oldHead: head },
    })
    expect(await rowsOf(db, sql`select input from jobs`)).toEqual([
      { input: { userId: 0, orderId: 9 } },
    ])
    await db.transaction((tx) =>
      createAudit({ now: () => new Date() }).record(tx, { user: { id: 1 } }, { action: 'test' }),
    )
    expect(await verifyAudit(db)).toMatchObject({ entries: 7, brokenAt: undefined })
    await expect(db.execute(sql`delete from audit_log where id = 1`)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
    await database.close()
  })

  test('that had been changed is not repaired by that, and the new entry says where', async () => {
    const database = await emptyDatabase(kind)
    await oldInstallation(database.db, true)
    await migrate(database)
    const rows = await database.db.select().from(auditLog).orderBy(auditLog.id)
    expect(rows.at(-1)).toMatchObject({ action: 'audit.carried-over', details: { brokenAt: 3 } })
    await database.close()
  })
})
