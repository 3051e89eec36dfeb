import { getTableName, is } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { users } from '../../db/schema/accounts.ts'
import { schema } from '../../db/schema.ts'
import { PERSONAL_DATA } from './personal-data.ts'

const casing = new CasingCache('snake_case')
const columns = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .flatMap((table) => {
    const { columns: own, foreignKeys } = getTableConfig(table)
    const toPerson = new Set(
      foreignKeys
        .map((key) => key.reference())
        .filter(({ foreignTable }) => foreignTable === users)
        .flatMap((reference) => reference.columns),
    )
    return own.map((column) => ({
      name: `${getTableName(table)}.${casing.getColumnCasing(column)}`,
      isAboutPerson: table === users || toPerson.has(column),
    }))
  })

/** Columns of an account that say nothing about the person. */
const NOT_PERSONAL = [
  'users.id',
  'users.role',
  'users.is_active',
  'users.agreed_to_terms',
  'users.created_at',
  'users.updated_at',
  'sessions.user_id',
  'sessions.simulated_user_id',
]

test('every column about a person is on the privacy page, or listed here as not personal', () => {
  const missing = columns
    .filter(({ isAboutPerson }) => isAboutPerson)
    .map(({ name }) => name)
    .filter((name) => !(name in PERSONAL_DATA) && !NOT_PERSONAL.includes(name))
  expect(missing).toEqual([])
})

test('the page names no column that does not exist', () => {
  const names = columns.map(({ name }) => name)
  for (const name of Object.keys(PERSONAL_DATA)) expect(names).toContain(name)
})
