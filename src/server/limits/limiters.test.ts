import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../db/catalog.ts'
import { limits } from '../db/schema/work.ts'
import { testApp } from '../testing/test-app.ts'
import { createLimiters } from './limiters.ts'

const ADDRESS = '203.0.113.77'

describe('two processes on one PostgreSQL', async () => {
  const env = { RATE_LIMIT_SCALE: '1' }
  const one = await testApp({ database: 'postgres', env })
  const two = await testApp({ on: one.database, env })
  const guess = async ({ app }: typeof one, username: string) => {
    const payload = { username, password: 'a guess' }
    const request = {
      method: 'POST',
      url: '/api/auth/login',
      remoteAddress: ADDRESS,
      payload,
    } as const
    return (await app.inject(request)).statusCode
  }

  test('count guesses together, and give the same answer', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 10; n += 1) statuses.push(await guess(n % 2 === 0 ? one : two, '7654321'))
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 401), 429, 429])
    for (let n = 0; n < 54; n += 1) statuses.push(await guess(n % 2 === 0 ? one : two, `76000${n}`))
    expect(statuses.filter((status) => status === 401)).toHaveLength(58)
  })

  test('store no address and no name, and delete counts when their time is over', async () => {
    const rows = await one.db.select().from(limits)
    expect(rows.length).toBeGreaterThan(2)
    const [text] = await rowsOf<{ all: string }>(
      one.db,
      sql`select string_agg(key, ' ') as all from limits`,
    )
    expect(text?.all).not.toContain('203.0.113')
    expect(text?.all).not.toContain('7654321')
    const limiters = createLimiters(one.deps)
    await limiters.prune()
    expect(await one.db.select().from(limits)).toHaveLength(rows.length)
    await one.db.update(limits).set({ expire: Date.now() - 1 })
    await limiters.prune()
    expect(await one.db.select().from(limits)).toEqual([])
  })

  test('write no row for an ordinary read', async () => {
    await one.visitor.send({ method: 'GET', url: '/api/settings' })
    expect(await one.db.select().from(limits)).toEqual([])
  })
})
