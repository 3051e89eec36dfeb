import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { testPostgresUrl } from '../testing/test-db.ts'
import { openPostgres } from './connect/postgres.ts'
import { isPoolBusy } from './database.ts'

test('a pool without a free connection is recognised by its error', async () => {
  const url = await testPostgresUrl()
  const database = await openPostgres({ url, poolSize: 1, onError: () => undefined })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const holder = database.db.transaction(() => held)
  const late = await database.db.execute(sql`select 1`).catch((error: unknown) => error)
  expect(isPoolBusy(late)).toBe(true)
  expect(isPoolBusy(new Error('another'))).toBe(false)
  release()
  await holder
  await database.close()
})
