import { getTableName, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { testDb } from '../testing/test-db.ts'
import { rowsOf } from './catalog.ts'
import { schema } from './schema.ts'

test('the schema has every table that the migrations make, and no other', async () => {
  const { db } = await testDb('embedded')
  const made = await rowsOf<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1`,
  )
  const known = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .map((table) => getTableName(table))
  expect(made.map(({ name }) => name)).toEqual(known.toSorted())
})
