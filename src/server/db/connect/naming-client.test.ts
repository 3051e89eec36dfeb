import { expect, test } from 'vitest'
import { testPostgresUrl } from '../../testing/test-db.ts'
import { NamingClient, statementNames } from './naming-client.ts'

async function withClient(work: (client: NamingClient) => Promise<void>): Promise<void> {
  const client = new NamingClient({
    connectionString: await testPostgresUrl(),
    names: statementNames(),
  })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const prepared = async (client: NamingClient): Promise<string[]> => {
  const { rows } = await client.query('select statement from pg_prepared_statements')
  return rows.map(({ statement }: { statement: string }) => statement)
}

test('a repeated statement is prepared, and returns the same answer', () =>
  withClient(async (client) => {
    const text = 'select $1::int + 1 as next'
    for (const n of [1, 2, 3, 4, 5]) {
      expect((await client.query(text, [n])).rows).toEqual([{ next: n + 1 }])
      expect((await client.query({ text, values: [n], rowMode: 'array' })).rows).toEqual([[n + 1]])
    }
    expect(await prepared(client)).toEqual([text])
  }))

test('a statement without values is prepared too, unless it may be several or is not a select', () =>
  withClient(async (client) => {
    for (const _ of [1, 2, 3, 4]) {
      await client.query('select 1; select 2')
      await client.query('begin')
      expect((await client.query('select 3 as three')).rows).toEqual([{ three: 3 }])
      await client.query('commit')
    }
    expect(await prepared(client)).toEqual(['select 3 as three'])
  }))

test('a failed statement can be run again', () =>
  withClient(async (client) => {
    const divide = (by: number) => client.query('select 1 / $1::int as part', [by])
    for (const _ of [1, 2, 3, 4]) await expect(divide(0)).rejects.toThrow('division by zero')
    expect((await divide(1)).rows).toEqual([{ part: 1 }])
  }))

test('an unlimited number of statements does not create an unlimited number of names', () => {
  const nameOf = statementNames()
  const names = new Set<string>()
  for (let n = 0; n < 2000; n += 1) {
    for (const _ of [1, 2, 3]) {
      const name = nameOf(`select ${n} from anything`)
      if (name) names.add(name)
    }
  }
  expect(names.size).toBe(500)
})
