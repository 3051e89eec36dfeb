import { readdirSync, readFileSync } from 'node:fs'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { sweepAddresses } from '../addresses/settle-addresses.ts'
import { type TestApp, testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { addresses, pools } from './schema/addresses.ts'
import { clusters } from './schema/infrastructure.ts'
import { instances, tokens } from './schema/stock.ts'
import { jobs } from './schema/work.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Runs only the data changes of a migration: its new columns already exist. */
async function changeData({ db }: TestApp, name: string): Promise<void> {
  const file = readdirSync(folder).find((one) => one.endsWith(`_${name}.sql`)) ?? ''
  const statements = readFileSync(new URL(file, folder), 'utf8').split('--> statement-breakpoint')
  for (const statement of statements) {
    if (/\b(UPDATE|INSERT INTO) "/.test(statement)) await db.execute(sql.raw(statement))
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

describe.each(BOTH_DATABASES)('addresses of an installation in use, on %s', (database) => {
  test('move from the settings to pools, each in the state its holder gives it', async () => {
    const t = await testApp({ database, sim: true })
    const clusterId = t.cluster.id
    await t.db.delete(pools)
    const confirmed = { isConfirmed: true, first: '203.0.113.2', last: '203.0.113.99', vlan: 20 }
    const dns = { nameservers: ['9.9.9.9'], searchDomain: 'old.example' }
    const networks = [
      { ...network('203.0.113.7/24'), ...confirmed, ...dns },
      { ...network('198.51.100.0/24'), gateway: '198.51.100.1', isConfirmed: false, ...dns },
    ]
    const settings = { ...t.cluster.settings, networks }
    const ownAddresses = ['203.0.113.3', 'fe80::1']
    await t.db.update(clusters).set({ settings, ownAddresses }).where(eq(clusters.id, clusterId))
    const [vm] = await t.db.select().from(instances).where(eq(instances.vmId, 100))
    const nodeId = vm?.nodeId ?? 0
    const instanceId = vm?.id ?? 0
    await t.db.update(instances).set({ seenAddresses: [], ipAddress: null })
    const seenAddresses = ['203.0.113.4', '203.0.113.20', 'not an address']
    await t.db.update(instances).set({ seenAddresses }).where(eq(instances.vmId, 101))
    const at = (last: number, values: object = {}) =>
      t.make.token({ nodeId, ipAddress: `203.0.113.${last}`, ...values })
    const onSale = await at(10)
    const pending = await at(11, { status: 'pending' })
    const sold = await at(12, { status: 'assigned', assignedInstanceId: instanceId })
    const kept = await at(13, {
      status: 'cancelled',
      cancelledAt: new Date(),
      assignedInstanceId: instanceId,
    })
    await at(14, { status: 'cancelled', cancelledAt: new Date() })
    await at(20)
    await t.db.update(tokens).set({ ipAddress: 'odd' }).where(eq(tokens.ipAddress, '203.0.113.14'))
    await t.db.delete(addresses)
    await changeData(t, 'pools')

    const [one, two] = await t.db.select().from(pools).orderBy(pools.id)
    expect(one).toMatchObject({
      clusterId,
      cidr: '203.0.113.0/24',
      ranges: [{ first: '203.0.113.2', last: '203.0.113.99' }],
      vlan: 20,
      ...dns,
    })
    expect(two).toMatchObject({ cidr: '198.51.100.0/24', ranges: [], vlan: null })
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, clusterId))
    expect(row?.settings).not.toHaveProperty('networks')
    const rows = await t.db.select().from(addresses).orderBy(addresses.address)
    expect(rows.map(({ address, state, tokenId }) => [address, state, tokenId])).toEqual([
      ['198.51.100.1', 'reserved', null],
      ['203.0.113.1', 'reserved', null],
      ['203.0.113.3', 'reserved', null],
      ['203.0.113.4', 'reserved', null],
      ['203.0.113.10', 'held', onSale.id],
      ['203.0.113.11', 'held', pending.id],
      ['203.0.113.12', 'used', sold.id],
      ['203.0.113.13', 'used', kept.id],
      ['203.0.113.20', 'reserved', null],
    ])
    // What the migration wrote is what the product itself would say.
    expect(await sweepAddresses(t.db, { clusterId, now: new Date() })).toBe(0)
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
