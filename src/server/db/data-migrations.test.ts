import { readdirSync, readFileSync } from 'node:fs'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { clusters } from './schema/infrastructure.ts'
import { jobs } from './schema/work.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Runs only the data changes of a migration: its new columns already exist. */
async function changeData({ db }: TestApp, name: string): Promise<void> {
  const file = readdirSync(folder).find((one) => one.endsWith(`_${name}.sql`)) ?? ''
  const statements = readFileSync(new URL(file, folder), 'utf8').split('--> statement-breakpoint')
  for (const statement of statements) {
    if (statement.includes('UPDATE')) await db.execute(sql.raw(statement))
  }
}

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
    await changeData(t, 'real-cluster')
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

describe.each(BOTH_DATABASES)('jobs of an installation in use, on %s', (database) => {
  test('are found by their token after the update, and jobs without one stay as they are', async () => {
    const t = await testApp({ database })
    const old = (id: string, input: object) => ({ id, kind: 'stop', title: 'Stop', input })
    await t.db.insert(jobs).values([old('a', { tokenId: 7 }), old('b', { orderId: 7 })])
    await changeData(t, 'job-subject')
    const rows = await t.db.select({ id: jobs.id, subject: jobs.subject }).from(jobs)
    expect(rows.sort((one, other) => one.id.localeCompare(other.id))).toEqual([
      { id: 'a', subject: 'token:7' },
      { id: 'b', subject: null },
    ])
  })
})
