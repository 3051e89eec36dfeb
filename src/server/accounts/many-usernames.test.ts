import { expect, test } from 'vitest'
import { systemRandom } from '../lib/random.ts'
import { testDb } from '../testing/test-db.ts'
import { takeUsername } from './usernames.ts'

test('ten thousand usernames are unique, have seven digits and show no pattern', async () => {
  const { db, close } = await testDb('embedded')
  const names: string[] = []
  await db.transaction(async (tx) => {
    for (let n = 0; n < 10_000; n += 1) names.push(await takeUsername(tx, systemRandom))
  })
  expect(new Set(names).size).toBe(10_000)
  expect(names.every((name) => /^[1-9]\d{6}$/.test(name))).toBe(true)
  // A pattern would show as neighbours, or as a digit that is rarer or more frequent than chance.
  const steps = names.slice(1).map((name, n) => Math.abs(Number(name) - Number(names[n])))
  expect(steps.filter((step) => step < 10).length).toBeLessThan(10)
  const last = Array.from(
    { length: 10 },
    (_, digit) => names.filter((name) => name.endsWith(String(digit))).length,
  )
  for (const times of last) {
    expect(times).toBeGreaterThan(850)
    expect(times).toBeLessThan(1150)
  }
  await close()
})
