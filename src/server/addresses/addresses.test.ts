import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { addresses, pools } from '../db/schema/addresses.ts'
import { clusters, nodes } from '../db/schema/infrastructure.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES, type DatabaseKind } from '../testing/test-db.ts'
import { settleAddresses, settleToken, sweepAddresses } from './settle-addresses.ts'
import { nextFreeAddress, takeAddress, takeFreeAddress } from './take-address.ts'
import { COOLING_MS } from './wanted-state.ts'

const POOL = {
  name: 'Public',
  family: 4 as const,
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  bridge: 'vmbr0',
  nameservers: ['9.9.9.9'],
  searchDomain: 'test.example',
  ranges: [{ first: '203.0.113.1', last: '203.0.113.5' }],
  reserved: [{ address: '203.0.113.3', reason: 'The printer' }],
}

/** A cluster that is only rows: its gateway, a reserved address and its own host. */
async function world(database: DatabaseKind, values: Partial<typeof POOL> = {}) {
  const clock = testClock()
  const t = await testApp({ database, clock })
  const row = { uid: 'x', name: 'X', host: '203.0.113.4', username: 'x@pam', password: 'x' }
  const [cluster] = await t.db.insert(clusters).values(row).returning()
  if (!cluster) throw new Error('no cluster was stored')
  const clusterId = cluster.id
  const [node] = await t.db.insert(nodes).values({ clusterId, name: 'pve1' }).returning()
  await t.db.insert(pools).values({ ...POOL, ...values, clusterId })
  const sweep = () => sweepAddresses(t.db, { clusterId, now: clock.now() })
  await sweep()
  const nodeId = node?.id ?? 0
  return {
    t,
    clock,
    clusterId,
    nodeId,
    sweep,
    take: () =>
      t.db.transaction((tx) => takeFreeAddress(tx, { clusterId, family: 4, now: clock.now() })),
    takeThis: (address: string, tokenId?: number) =>
      t.db.transaction((tx) => takeAddress(tx, { clusterId, address, now: clock.now() }, tokenId)),
    settle: (...list: string[]) =>
      t.db.transaction((tx) => settleAddresses(tx, { clusterId, now: clock.now() }, list)),
    of: async (address: string) => {
      const which = and(eq(addresses.clusterId, clusterId), eq(addresses.address, address))
      const [found] = await t.db.select().from(addresses).where(which)
      return found
    },
    /** A server with this address. */
    async server(ipAddress: string) {
      const values = { clusterId, vmId: 100, name: 'vm', nodeId, marker: 'ours', ipAddress }
      const [vm] = await t.db.insert(instances).values(values).returning()
      const assignedInstanceId = vm?.id ?? 0
      const token = await t.make.token({
        status: 'assigned',
        nodeId,
        ipAddress,
        assignedInstanceId,
      })
      return { token, instanceId: assignedInstanceId }
    },
  }
}

describe.each(BOTH_DATABASES)('addresses on %s', (database) => {
  test('are handed out in order, without the gateway, the reserved and the seen ones', async () => {
    const { take, of } = await world(database)
    expect([await take(), await take(), await take()]).toEqual([
      '203.0.113.2',
      '203.0.113.5',
      undefined,
    ])
    expect(await of('203.0.113.1')).toMatchObject({
      state: 'reserved',
      reason: 'Gateway of the pool',
    })
    expect(await of('203.0.113.3')).toMatchObject({ state: 'reserved', reason: 'The printer' })
    expect(await of('203.0.113.4')).toMatchObject({
      state: 'reserved',
      reason: 'A node, bridge or gateway of the cluster',
    })
  })

  test('are never handed out twice, however many ask at once', async () => {
    const ranges = [{ first: '10.9.0.2', last: '10.9.3.250' }]
    const wide = { cidr: '10.9.0.0/22', gateway: '10.9.0.1', ranges, reserved: [] }
    const { t, take, sweep } = await world(database, wide)
    const taken = await Promise.all(Array.from({ length: 300 }, take))
    expect(new Set(taken).size).toBe(300)
    expect(taken).not.toContain(undefined)
    // The sweep finds that nothing has them, and keeps the next ones ready.
    expect(await sweep()).toBe(300)
    expect(await t.db.$count(addresses)).toBeGreaterThanOrEqual(512)
  })

  test('that a rolled back order had taken are free again', async () => {
    const { t, take, clusterId, clock } = await world(database)
    const killed = t.db.transaction(async (tx) => {
      await takeFreeAddress(tx, { clusterId, family: 4, now: clock.now() })
      throw new Error('killed between hold and use')
    })
    await expect(killed).rejects.toThrow('killed between hold and use')
    expect(await take()).toBe('203.0.113.2')
  })

  test('that nothing has any more are found by the sweep', async () => {
    const { take, of, sweep } = await world(database)
    await take()
    expect(await of('203.0.113.2')).toMatchObject({ state: 'held', tokenId: null })
    expect(await sweep()).toBe(1)
    expect(await of('203.0.113.2')).toMatchObject({ state: 'free' })
    expect(await sweep()).toBe(0)
  })

  test('of a token on sale are held, and free when it is withdrawn', async () => {
    const { t, of, nodeId, takeThis, clock } = await world(database)
    const token = await t.make.token({ nodeId, ipAddress: '203.0.113.2' })
    expect(await of('203.0.113.2')).toMatchObject({ state: 'held', tokenId: token.id })
    await expect(takeThis('203.0.113.2')).rejects.toThrow('Another token or a server has')
    await takeThis('203.0.113.2', token.id)
    await t.db.transaction(async (tx) => {
      const cancelled = { status: 'cancelled', cancelledAt: clock.now() } as const
      await tx.update(tokens).set(cancelled).where(eq(tokens.id, token.id))
      await settleToken(tx, token, clock.now())
    })
    expect(await of('203.0.113.2')).toMatchObject({ state: 'free', tokenId: null })
  })

  test('of a server rest for a day after its end', async () => {
    const { t, of, take, server, settle, takeThis, clock, sweep } = await world(database)
    const { token, instanceId } = await server('203.0.113.2')
    expect(await of('203.0.113.2')).toMatchObject({ state: 'used', tokenId: token.id, instanceId })
    await t.db.delete(instances).where(eq(instances.id, instanceId))
    const ended = { status: 'cancelled', cancelledAt: clock.now() } as const
    await t.db.update(tokens).set(ended).where(eq(tokens.id, token.id))
    await settle('203.0.113.2')
    const until = new Date(clock.now().getTime() + COOLING_MS)
    expect(await of('203.0.113.2')).toMatchObject({ state: 'cooling', until })
    expect(await sweep(), 'a sweep leaves it at rest').toBe(0)
    await expect(takeThis('203.0.113.2')).rejects.toThrow(
      /It is free again from 2026-11-16 12:00 UTC/,
    )
    expect(await take()).toBe('203.0.113.5')
    clock.advance(COOLING_MS - 1)
    expect(await take()).toBeUndefined()
    clock.advance(1)
    expect(await take()).toBe('203.0.113.2')
    expect(await sweep()).toBe(2)
  })

  test('of a server outside the ranges are not handed out after its end', async () => {
    const { t, of, take, server, settle, clock } = await world(database)
    const { token, instanceId } = await server('203.0.113.9')
    expect(await of('203.0.113.9')).toMatchObject({ state: 'used' })
    await t.db.delete(instances).where(eq(instances.id, instanceId))
    await t.db.delete(tokens).where(eq(tokens.id, token.id))
    await settle('203.0.113.9')
    expect(await of('203.0.113.9')).toBeUndefined()
    clock.advance(COOLING_MS)
    expect([await take(), await take(), await take()]).toEqual([
      '203.0.113.2',
      '203.0.113.5',
      undefined,
    ])
  })

  test('that another VM is seen with are not sold, and noted where a server has them', async () => {
    const { t, of, nodeId, clusterId, server, sweep } = await world(database)
    const token = await t.make.token({ nodeId, ipAddress: '203.0.113.2' })
    await server('203.0.113.5')
    const seenAddresses = ['203.0.113.2', '203.0.113.5', '2001:db8::1']
    const other = { clusterId, vmId: 7, name: 'other', seenAddresses }
    const [vm] = await t.db.insert(instances).values(other).returning()
    await sweep()
    expect(await of('203.0.113.2')).toMatchObject({ state: 'reserved', reason: 'VM 7 (other)' })
    expect(await of('203.0.113.5')).toMatchObject({ state: 'used', reason: 'VM 7 (other)' })
    const missing = { missingSince: new Date() }
    await t.db
      .update(instances)
      .set(missing)
      .where(eq(instances.id, vm?.id ?? 0))
    await sweep()
    expect(await of('203.0.113.2')).toMatchObject({ state: 'held', tokenId: token.id })
    expect(await of('203.0.113.5')).toMatchObject({ state: 'used', reason: null })
  })

  test('of a VM that is being made stay held, and are used once it is a server', async () => {
    const { t, of, clusterId, nodeId, settle } = await world(database)
    const token = await t.make.token({ status: 'pending', nodeId, ipAddress: '203.0.113.2' })
    const values = { clusterId, vmId: 9, name: 'new', marker: 'ours', status: 'creating' }
    const made = { ...values, tokenId: token.id, ipAddress: '203.0.113.2' }
    const [vm] = await t.db.insert(instances).values(made).returning()
    await settle('203.0.113.2')
    expect(await of('203.0.113.2')).toMatchObject({ state: 'held', tokenId: token.id })
    await t.db
      .update(instances)
      .set({ status: 'running' })
      .where(eq(instances.id, vm?.id ?? 0))
    await settle('203.0.113.2')
    expect(await of('203.0.113.2')).toMatchObject({ state: 'used', instanceId: vm?.id })
  })

  test('outside the ranges are refused with the ranges', async () => {
    const { takeThis } = await world(database)
    for (const address of ['203.0.113.0', '203.0.113.9', '198.51.100.7', 'nonsense']) {
      await expect(takeThis(address), address).rejects.toThrow(
        'The address must lie in a range of a pool: 203.0.113.1 to 203.0.113.5.',
      )
    }
    await expect(takeThis('203.0.113.3')).rejects.toThrow('This address is reserved: The printer.')
  })

  test('of a large network get rows only where they are needed', async () => {
    const { t, clusterId, take, clock } = await world(database, {
      cidr: '10.0.0.0/8',
      gateway: '10.0.0.1',
      ranges: [{ first: '10.0.0.1', last: '10.255.255.254' }],
      reserved: [],
    })
    // The sweep keeps a block ready: an order does not have to.
    expect(await t.db.$count(addresses)).toBeGreaterThan(200)
    expect(await take()).toBe('10.0.0.2')
    expect(await t.db.$count(addresses)).toBeLessThan(600)
    const wanted = { clusterId, family: 6 as const, now: clock.now() }
    const ipv6 = { family: 6 as const, cidr: '2001:db8::/48', gateway: '2001:db8::1', name: 'Six' }
    const ranges = [{ first: '2001:db8::1', last: '2001:db8::ffff:ffff' }]
    await t.db.insert(pools).values({ ...POOL, ...ipv6, ranges, reserved: [], clusterId })
    await sweepAddresses(t.db, { clusterId, now: clock.now() })
    expect(await t.db.transaction((tx) => nextFreeAddress(tx, wanted))).toBe('2001:db8::2')
    expect(await t.db.transaction((tx) => takeFreeAddress(tx, wanted))).toBe('2001:db8::2')
    expect(await t.db.$count(addresses)).toBeLessThan(900)
  })
})
