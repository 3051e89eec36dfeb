import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { rowsOf } from './catalog.ts'
import { packed, packedRow, packedRows } from './packed.ts'
import { users } from './schema/accounts.ts'
import { clusters, nodes } from './schema/infrastructure.ts'
import { instances } from './schema/stock.ts'

const BIG = 2 ** 52 + 1

describe.each(BOTH_DATABASES)('fields packed into one value, on %s', async (kind) => {
  const { db } = await testDb(kind)
  const at = new Date('2026-11-18T20:00:00.123Z')
  const [cluster] = await db
    .insert(clusters)
    .values({ name: 'One', uid: 'packed', host: 'pve.example', username: 'u@pve', password: '' })
    .returning()
  const clusterId = cluster?.id ?? 0
  const made = { clusterId, status: 'stopped', memoryUsed: BIG, lastUpdated: at }
  await db.insert(instances).values([
    {
      ...made,
      ...{ vmId: 101, name: 'a "quoted"\n\\ name, ünï 🙂', seenAddresses: ['::1', '10.0.0.1'] },
      ...{ cpuUsage: 0.1 + 0.2, powerFailure: { message: 'm', publicMessage: 'p' } },
    },
    { ...made, vmId: 102, name: '', cpuUsage: null, lastUpdated: null },
  ])

  const plain = {
    name: instances.name,
    seenAddresses: instances.seenAddresses,
    cpuUsage: instances.cpuUsage,
    memoryUsed: instances.memoryUsed,
    powerFailure: instances.powerFailure,
    createdAt: instances.createdAt,
    lastUpdated: instances.lastUpdated,
  }

  test('are what the same columns are by themselves', async () => {
    const rows = await db.select(plain).from(instances).orderBy(instances.vmId)
    const asOne = await db
      .select({ row: packed(plain) })
      .from(instances)
      .orderBy(instances.vmId)
    expect(asOne.map(({ row }) => row)).toEqual(rows)
    expect(rows).toMatchObject([{ memoryUsed: BIG, lastUpdated: at }, { lastUpdated: null }])
  })

  test('may hold a group of fields, and rows of other tables, which may be absent', async () => {
    const row = packed({
      id: instances.vmId,
      state: { status: instances.status, of: { memoryUsed: instances.memoryUsed } },
      cluster: packedRow(
        { name: clusters.name, createdAt: clusters.createdAt },
        sql`${clusters} where ${clusters.id} = ${instances.clusterId}`,
      ),
      node: packedRow({ name: nodes.name }, sql`${nodes} where ${nodes.id} = ${instances.nodeId}`),
      owner: packedRow(
        {
          id: users.id,
          node: packedRow({ name: nodes.name }, sql`${nodes} where ${nodes.id} = ${users.id}`),
        },
        sql`${users} where ${users.id} = ${instances.ownerId}`,
      ),
    })
    const found = await db.select({ row }).from(instances).where(eq(instances.vmId, 101))
    expect(found).toEqual([
      {
        row: {
          id: 101,
          state: { status: 'stopped', of: { memoryUsed: BIG } },
          cluster: { name: 'One', createdAt: cluster?.createdAt },
          node: null,
          owner: null,
        },
      },
    ])
  })

  test('may hold lists of rows of other tables, which may be empty', async () => {
    const row = packed({
      name: clusters.name,
      vms: packedRows(
        { vmId: instances.vmId, lastUpdated: instances.lastUpdated },
        sql`${instances} where ${instances.clusterId} = ${clusters.id} order by ${instances.vmId}`,
      ),
      nodes: packedRows(
        { name: nodes.name },
        sql`${nodes} where ${nodes.clusterId} = ${clusters.id}`,
      ),
    })
    expect(await db.select({ row }).from(clusters)).toEqual([
      {
        row: {
          name: 'One',
          vms: [
            { vmId: 101, lastUpdated: at },
            { vmId: 102, lastUpdated: null },
          ],
          nodes: [],
        },
      },
    ])
  })

  test('are one column for the driver', async () => {
    const query = db.select({ row: packed(plain) }).from(instances)
    const rows = await rowsOf<Record<string, unknown>>(db, query.getSQL())
    expect(rows.map((row) => Object.keys(row))).toEqual([
      ['json_build_array'],
      ['json_build_array'],
    ])
  })
})
