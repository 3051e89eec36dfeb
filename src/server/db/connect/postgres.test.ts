import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { atEnd } from '../../testing/at-end.ts'
import { testPostgresUrl } from '../../testing/test-db.ts'
import { openPostgres } from './postgres.ts'

test('the driver starts no timer for a statement: each would keep the answer before it in memory', async () => {
  const database = await openPostgres({
    url: await testPostgresUrl(),
    poolSize: 1,
    onError: () => undefined,
  })
  atEnd(() => database.close())
  // Within a transaction, because the pool starts timers of its own for a client it takes back.
  await database.db.transaction(async (tx) => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    atEnd(() => timers.mockRestore())
    await tx.execute(sql`select 1`)
    await tx.execute(sql`select 2`)
    expect(timers).not.toHaveBeenCalled()
  })
})
