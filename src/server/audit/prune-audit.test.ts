import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { createFailedLogins } from '../accounts/failed-logins.ts'
import { auditCheckpoints, auditLog, failedLogins } from '../db/schema/accounts.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { createAudit } from './audit-log.ts'
import { pruneAudit } from './prune-audit.ts'
import { verifyAudit } from './verify-audit.ts'

const DAY = 86_400_000

describe.each(BOTH_DATABASES)('the growth of the log on %s', async (database) => {
  const clock = testClock(new Date())
  const t = await testApp({ database, clock })
  const audit = createAudit(clock)
  const prune = pruneAudit({ ...t.deps, audit })
  const record = (times: number) =>
    t.db.transaction(async (tx) => {
      for (let n = 0; n < times; n += 1) await audit.record(tx, undefined, { action: 'test.write' })
    })

  test('entries older than two years are deleted, and the rest still verifies from the checkpoint', async () => {
    const now = clock.now()
    clock.set(new Date(now.getTime() - 900 * DAY))
    await record(10)
    clock.set(new Date(now.getTime() - 700 * DAY))
    await record(5)
    clock.set(now)
    await prune()
    expect(await verifyAudit(t.db)).toMatchObject({ entries: 6, brokenAt: undefined })
    await prune()
    expect(await t.db.$count(auditCheckpoints)).toBe(1)
    clock.advance(800 * DAY)
    // Everything is old now except by the database's own clock.
    await expect(prune()).rejects.toMatchObject({
      cause: { message: 'the audit log is append-only' },
    })
    clock.set(now)
    expect(await verifyAudit(t.db)).toMatchObject({ entries: 6, brokenAt: undefined })
  })

  test('a checkpoint that no entry cites is a forgery', async () => {
    const [first] = await t.db.select().from(auditLog).orderBy(auditLog.id).limit(1)
    await t.db
      .insert(auditCheckpoints)
      .values({ at: new Date(), lastId: first?.id ?? 0, entries: 1, hash: first?.hash ?? '' })
    await t.db.execute(sql`alter table audit_log disable trigger user`)
    await t.db.execute(sql`delete from audit_log where id = ${first?.id ?? 0}`)
    await t.db.execute(sql`alter table audit_log enable trigger user`)
    expect((await verifyAudit(t.db)).brokenAt).toBeDefined()
  })

  test('a flood of failed sign-ins adds no entries, only two rows an hour, reported once', async () => {
    const client = await t.make.client()
    const before = await t.db.$count(auditLog)
    for (let n = 0; n < 6; n += 1) {
      const username = n < 4 ? String(9_000_000 + n) : client.username
      await t.visitor.attempt(api.auth.login, { body: { username, password: 'guess' } })
    }
    expect(await t.db.$count(auditLog)).toBe(before)
    const rows = await t.db.select().from(failedLogins)
    expect(rows.map(({ count, userId }) => [userId, count]).sort()).toEqual(
      [
        [client.id, 2],
        [null, 4],
      ].sort(),
    )
    expect(await t.as(client).call(api.account.activity)).toMatchObject([
      { action: 'auth.login-failed', times: 2 },
    ])
    const failures = createFailedLogins(t.deps)
    clock.advance(3_600_000)
    await failures.report(audit)
    const entries = await t.db.select().from(auditLog)
    expect(entries.filter(({ action }) => action === 'auth.logins-failed')).toMatchObject([
      { details: { attempts: 6, accounts: 1 } },
    ])
    clock.advance(31 * DAY)
    await failures.prune()
    expect(await t.db.$count(failedLogins)).toBe(0)
  })
})
