import { readdirSync, readFileSync } from 'node:fs'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { clusters } from './schema/infrastructure.ts'

const folder = new URL('./migrations/', import.meta.url)
const file = readdirSync(folder).find((name) => name.endsWith('_real-cluster.sql')) ?? ''
/** The data changes of the migration; its new columns already exist. */
const moves = readFileSync(new URL(file, folder), 'utf8')
  .split('--> statement-breakpoint')
  .filter((statement) => statement.includes('UPDATE'))

const network = (cidr: string) => ({ cidr, gateway: '203.0.113.1', bridge: 'vmbr0' })

describe.each(BOTH_DATABASES)('networks of an installation in use, on %s', (database) => {
  test('are confirmed if tokens have addresses in them, and otherwise wait for an operator', async () => {
    const t = await testApp({ database, sim: true })
    const settings = { networks: [network('203.0.113.7/24'), network('198.51.100.0/24')] }
    await t.db.update(clusters).set({ settings }).where(eq(clusters.id, t.cluster.id))
    const { rows } = (await t.db.execute(
      sql`select id from nodes where cluster_id = ${t.cluster.id} limit 1`,
    )) as unknown as { rows: { id: number }[] }
    const nodeId = rows[0]?.id ?? null
    await t.make.token({ nodeId, ipAddress: '203.0.113.9' })
    await t.make.token({ nodeId, ipAddress: '203.0.113.40' })
    await t.make.token({ nodeId, ipAddress: 'not an address' })
    for (const statement of moves) await t.db.execute(sql.raw(statement))
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, t.cluster.id))
    expect(row?.settings.networks).toEqual([
      {
        ...network('203.0.113.7/24'),
        isConfirmed: true,
        first: '203.0.113.9',
        last: '203.0.113.40',
      },
      { ...network('198.51.100.0/24'), isConfirmed: false },
    ])
  })
})
