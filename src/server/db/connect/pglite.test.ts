import { expect, it } from 'vitest'
import { createPglite } from './pglite.ts'

it('gives the event loop its turns while many queries wait', async () => {
  const pglite = await createPglite()
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const seen: number[] = []
  const asked = Array.from({ length: 20 }, async () => {
    await pglite.transaction((tx) => tx.query('select 1'))
    seen.push(turns)
  })
  await Promise.all(asked)
  clearImmediate(next)
  await pglite.close()
  // None of them shares its turn with another.
  expect(new Set(seen).size).toBe(asked.length)
})
