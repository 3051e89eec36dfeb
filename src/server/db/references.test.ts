import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { testDb } from '../testing/test-db.ts'
import { rowsOf } from './catalog.ts'

/** What an installation has many of. */
const MANY = ['instances', 'orders', 'payments', 'tokens', 'users']
/** Rows that last minutes, so there are never many. */
const BRIEF = ['console_tickets', 'handover_codes', 'passkey_challenges']

test('every reference to a row of which there are many has an index', async () => {
  const { db } = await testDb('embedded')
  const references = await rowsOf<{ from: string; to: string; isIndexed: boolean }>(
    db,
    sql`select c.conrelid::regclass::text || '.' || a.attname as from,
          c.confrelid::regclass::text as to,
          exists(select 1 from pg_index i where i.indrelid = c.conrelid
            and i.indkey[0] = a.attnum
            and coalesce(pg_get_expr(i.indpred, i.indrelid), '') in
              ('', format('(%I IS NOT NULL)', a.attname))) as "isIndexed"
        from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by 1`,
  )
  const concerned = references.filter(
    ({ from, to }) => MANY.includes(to) && !BRIEF.includes(from.split('.')[0] ?? ''),
  )
  expect(concerned.length).toBeGreaterThan(20)
  expect(concerned.filter(({ isIndexed }) => !isIndexed).map(({ from }) => from)).toEqual([])
})
