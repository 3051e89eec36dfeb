import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { testDb } from '../../testing/test-db.ts'

it('gives the event loop its turns while many transactions wait', async () => {
  const { db, close } = await testDb('embedded')
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const seen: number[] = []
  const asked = Array.from({ length: 20 }, async () => {
    await db.transaction((tx) => tx.execute(sql`select 1`))
    seen.push(turns)
  })
  await Promise.all(asked)
  clearImmediate(next)
  await close()
  // None of them shares its turn with another.
  expect(new Set(seen).size).toBe(asked.length)
})
