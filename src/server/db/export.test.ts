import pg from 'pg'
import { expect, test } from 'vitest'
import { createAudit } from '../audit/audit-log.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { seed } from '../first-start/seed.ts'
import { systemRandom } from '../lib/random.ts'
import { testDb, testPostgresUrl } from '../testing/test-db.ts'
import { openPostgres } from './connect/postgres.ts'
import { exportSql } from './export.ts'
import { users } from './schema/accounts.ts'
import { packages } from './schema/sales.ts'

test('an export of the embedded database is complete in PostgreSQL', async () => {
  const from = await testDb('embedded')
  await seed(
    from.db,
    { adminEmail: "o'neil@example.test", adminPassword: 'long enough' },
    systemRandom,
  )
  const audit = createAudit({ now: () => new Date() })
  for (let n = 0; n < 3; n += 1) {
    await from.db.transaction((tx) =>
      audit.record(tx, undefined, { action: `test.${'x'.repeat(n + 1)}` }),
    )
  }
  let text = ''
  for await (const piece of exportSql(from)) text += piece

  const url = await testPostgresUrl()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()

  const to = await openPostgres({ url, onError: () => undefined })
  expect(await to.db.select().from(users)).toEqual(await from.db.select().from(users))
  const plans = (database: typeof to) => database.db.select().from(packages).orderBy(packages.id)
  expect(await plans(to)).toEqual(await plans(from))
  expect(await verifyAudit(to.db)).toMatchObject({ entries: 3, brokenAt: undefined })
  const [next] = await to.db
    .insert(users)
    .values({ username: '7654321', passwordHash: 'x' })
    .returning()
  expect(next?.id).toBe(2)
  await from.close()
  await to.close()
})
