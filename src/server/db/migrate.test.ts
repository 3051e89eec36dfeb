import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { wrapPglite } from './connect/embedded.ts'
import { createPglite } from './connect/pglite.ts'
import { openPostgres } from './connect/postgres.ts'
import { appliedMigrations, knownMigrations, migrate, NewerSchemaError } from './migrate.ts'
import { EscapedTransactionError } from './transaction-guard.ts'

test('several processes that start at once migrate once', async () => {
  const server = inject('postgresUrl')
  const name = `m_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = server.replace(/\/postgres$/, `/${name}`)
  const open = await Promise.all(
    Array.from({ length: 5 }, () => openPostgres({ url, onError: () => undefined })),
  )
  const applied = await Promise.all(open.map((database) => migrate(database)))
  expect(applied.filter((tags) => tags.length > 0)).toEqual([knownMigrations()])
  for (const database of open) await database.close()
})

test('from nothing, embedded', async () => {
  const database = wrapPglite(await createPglite(), async () => {})
  expect(await migrate(database)).toEqual(knownMigrations())
  expect(await migrate(database)).toEqual([])
  await database.close()
})

test.each(BOTH_DATABASES)('an older program refuses a newer schema (%s)', async (kind) => {
  const database = await testDb(kind)
  await database.db.execute(sql`insert into migrations (tag) values ('9999_from_the_future')`)
  await expect(migrate(database)).rejects.toThrow(NewerSchemaError)
  await expect(migrate(database)).rejects.toThrow(/9999_from_the_future/)
  expect(await appliedMigrations(database.db)).toHaveLength(knownMigrations().length + 1)
  await database.close()
})

test.each(BOTH_DATABASES)('a query that leaves its transaction is refused (%s)', async (kind) => {
  const database = await testDb(kind)
  const { db } = database
  const escaping = db.transaction(async () => {
    await db.execute(sql`select 1`)
  })
  await expect(escaping).rejects.toThrow(EscapedTransactionError)
  await database.close()
})
