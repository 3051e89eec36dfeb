import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { BOTH_DATABASES, emptyTables, testDb } from '../testing/test-db.ts'
import { createAudit } from './audit-log.ts'
import { verifyAudit } from './verify-audit.ts'

describe.each(BOTH_DATABASES)('the audit log on %s', async (kind) => {
  const database = await testDb(kind)
  const { db } = database
  const audit = createAudit({ now: () => new Date() })
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        db.transaction((tx) =>
          audit.record(tx, undefined, {
            action: 'test.write',
            target: `user:${n}`,
            details: { z: n, a: { c: [1, null], b: 'ü' } },
          }),
        ),
      ),
    )

  test('concurrent entries make one chain', async () => {
    await emptyTables(database)
    await fill(50)
    expect(await verifyAudit(db)).toEqual({ entries: 50, brokenAt: undefined, unlinked: 50 })
  })

  test.each([
    'update audit_log set action = $$x$$ where id = 3',
    'delete from audit_log where id = 3',
    'truncate audit_log',
  ])('refuses: %s', async (statement) => {
    await expect(db.execute(sql.raw(statement))).rejects.toMatchObject({
      cause: { message: 'the audit log is append-only' },
    })
  })

  test.each([
    ['a changed entry', 'update audit_log set details = $${"z": 99}$$ where id = 7', 7],
    ['a removed entry', 'delete from audit_log where id = 7', 8],
    ['a changed time', 'update audit_log set at = at + interval $$1 second$$ where id = 9', 9],
  ])('detects %s made behind our back', async (_what, statement, brokenAt) => {
    await emptyTables(database)
    await fill(10)
    await db.execute(sql`alter table audit_log disable trigger user`)
    await db.execute(sql.raw(statement))
    await db.execute(sql`alter table audit_log enable trigger user`)
    expect(await verifyAudit(db)).toMatchObject({ brokenAt })
  })

  test('survives changes by JSON, such as of a date', async () => {
    await emptyTables(database)
    const details = { until: new Date(), by: undefined, orderId: 7 }
    await db.transaction((tx) => audit.record(tx, undefined, { action: 'test.date', details }))
    expect(await verifyAudit(db)).toMatchObject({ entries: 1, brokenAt: undefined })
  })
})
