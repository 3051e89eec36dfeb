import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { addresses as addressRows } from '../../db/schema/addresses.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const OFFICE = {
  name: 'Office',
  family: 4 as const,
  cidr: '198.51.100.77/24',
  gateway: '198.51.100.1',
  ranges: [
    { first: '198.51.100.50', last: '198.51.100.52' },
    { first: '198.51.100.10', last: '198.51.100.12' },
  ],
  reserved: [{ address: '198.51.100.11', reason: 'The printer' }],
  bridge: 'vmbr1',
  nameservers: ['9.9.9.9'],
}

describe.each(EACH_DATABASE)('pools on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const shop = await openShop(t)
  const clusterId = t.cluster.id
  const create = (change: object = {}) =>
    shop.admin.attempt(api.pools.create, { body: { ...OFFICE, clusterId, ...change } })
  const named = async (name: string) => {
    const pool = (await shop.admin.call(api.pools.list)).find((one) => one.name === name)
    if (!pool) throw new Error(`there is no pool ${name}`)
    return pool
  }
  const mapOf = async (id: number, query = {}) =>
    await shop.admin.call(api.pools.addresses, { params: { id }, query })

  test('are added in one way of writing, counted and drawn', async () => {
    const made = await create()
    expect(made).toMatchObject({
      status: 201,
      body: {
        cidr: '198.51.100.0/24',
        clusterName: 'Test',
        ranges: [OFFICE.ranges[1], OFFICE.ranges[0]],
        searchDomain: 'localdomain',
        vlan: null,
        counts: { free: 5, held: 0, used: 0, reserved: 1, cooling: 0 },
      },
    })
    const { addresses, total, outside } = await mapOf(made.body.id)
    expect(total).toBe(6)
    const states = addresses.map(({ address, state }) => `${address.split('.')[3]} ${state}`)
    expect(states).toEqual(['10 free', '11 reserved', '12 free', '50 free', '51 free', '52 free'])
    expect(addresses[1]?.reason).toBe('The printer')
    expect(outside).toMatchObject([{ address: '198.51.100.1', reason: 'Gateway of the pool' }])
    const second = await mapOf(made.body.id, { offset: 2, limit: 2 })
    expect(second.addresses.map(({ address }) => address)).toEqual([
      '198.51.100.12',
      '198.51.100.50',
    ])
    const log = await t.db.select().from(auditLog).where(eq(auditLog.action, 'pool.create'))
    expect(log).toHaveLength(1)
  })

  test('that overlap another one of the cluster are refused with its name', async () => {
    const answer = await create({ name: 'Twin', cidr: '198.51.100.0/25' })
    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: '198.51.100.0/25 overlaps 198.51.100.0/24 of the pool “Office”.',
      },
    })
    const both = { cidr: '192.0.2.0/24', gateway: '192.0.2.1', ranges: [], reserved: [] }
    const pair = [create({ ...both, name: 'A' }), create({ ...both, name: 'B' })]
    const statuses = (await Promise.all(pair)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
    const named = { cidr: '10.0.0.0/24', gateway: '10.0.0.1', ranges: [], reserved: [] }
    expect((await create({ ...named, name: 'Office' })).body.message).toBe(
      'Another pool of this cluster has this name.',
    )
  })

  test.each([
    [{ gateway: '10.0.0.1' }, /gateway 10\.0\.0\.1 is no address/],
    [{ cidr: '999.0.0.0/24' }, /Network must look like/],
    [{ ranges: [{ first: '198.51.100.0', last: '198.51.100.9' }] }, /is no address for a machine/],
    [{ nameservers: [] }, /at least one DNS server/],
    [{ clusterId: 999 }, /select a cluster/],
    [{ bridge: 'rm -rf' }, /Bridge must be a name/],
  ])('with %j are refused, and nothing is stored', async (wrong, message) => {
    const before = await shop.admin.call(api.pools.list)
    const answer = await create({ name: 'Wrong', ...wrong })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
    expect(await shop.admin.call(api.pools.list)).toEqual(before)
  })

  test('show what tokens hold, and cannot be deleted or cut off meanwhile', async () => {
    const { id, ...pool } = await named('Office')
    const token = await shop.token({ ipAddress: '198.51.100.51', name: 'Held 1 CPU 1 GB 10 GB' })
    const { addresses } = await mapOf(id)
    expect(addresses[4]).toMatchObject({
      state: 'held',
      server: { tokenId: token.id, instanceId: null, name: token.name },
    })
    expect((await named('Office')).counts).toMatchObject({ free: 4, held: 1 })
    expect(await shop.admin.attempt(api.pools.remove, { params: { id } })).toMatchObject({
      status: 409,
      body: { code: 'IN_USE', message: 'Servers or tokens have 1 address of this pool.' },
    })
    const update = (change: object) =>
      shop.admin.attempt(api.pools.update, { params: { id }, body: { ...pool, ...change } })
    for (const change of [
      { cidr: '10.1.0.0/24', gateway: '10.1.0.1', ranges: [], reserved: [] },
      { gateway: '198.51.100.51' },
    ]) {
      const answer = await update(change)
      expect(answer).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
      expect(answer.body.message).toContain('198.51.100.51')
    }
    const elsewhere = await update({ clusterId: clusterId + 1 })
    expect(elsewhere.status).toBe(400)

    const problem = async () =>
      (await shop.admin.call(api.tokens.list)).find((one) => one.id === token.id)?.problem
    expect(await problem()).toBeNull()
    await update({ reserved: [{ address: '198.51.100.51', reason: 'Ours' }] })
    expect(await problem()).toBe('Its address is taken: Ours.')

    // The range is cut: what is free goes, and the token is no longer sold.
    const cut = await update({ ranges: [{ first: '198.51.100.10', last: '198.51.100.12' }] })
    expect(cut.body.counts).toEqual({ free: 2, held: 0, used: 0, reserved: 1, cooling: 0 })
    const { outside } = await mapOf(id)
    expect(outside.map(({ address }) => address)).toEqual(['198.51.100.1', '198.51.100.51'])
    expect(await t.db.$count(addressRows, eq(addressRows.address, '198.51.100.50'))).toBe(0)
    expect(await problem()).toBe('Its address lies in no range of a pool of its cluster.')
    await shop.admin.call(api.tokens.remove, { params: { id: token.id } })
    await shop.admin.call(api.pools.remove, { params: { id } })
    expect(
      await shop.admin.attempt(api.pools.addresses, { params: { id }, query: {} }),
    ).toMatchObject({ status: 404 })
  })

  test('of IPv6 may be as large as a provider has them', async () => {
    const six = {
      name: 'Six',
      family: 6 as const,
      cidr: '2001:DB8::/48',
      gateway: '2001:db8::1',
      ranges: [{ first: '2001:db8::1:0', last: '2001:db8::ffff:ffff:ffff:ffff' }],
      reserved: [],
      nameservers: ['2620:fe::fe'],
      rdns: '8.b.d.0.1.0.0.2.ip6.arpa',
    }
    const made = await create(six)
    expect(made).toMatchObject({
      status: 201,
      body: { cidr: '2001:db8::/48', prefixPerServer: null },
    })
    expect(made.body.counts.free).toBe(Number.MAX_SAFE_INTEGER)
    const { addresses } = await mapOf(made.body.id, { offset: 255, limit: 2 })
    expect(addresses.map(({ address }) => address)).toEqual(['2001:db8::1:ff', '2001:db8::1:100'])
    // With a prefix for each server there are as many servers as prefixes.
    const zone = '9.b.d.0.1.0.0.2.ip6.arpa'
    const here = { cidr: '2001:db9::/48', gateway: '2001:db9::1', rdns: zone }
    const prefixed = { ...six, name: 'Prefixed', ...here }
    const routed = (last: string) =>
      create({ ...prefixed, ranges: [{ first: '2001:db9::2', last }], prefixPerServer: 64 })
    expect(await routed('2001:db9::1:0')).toMatchObject({
      status: 400,
      body: {
        message: 'With a /64 per server, the last address must not be above 2001:db9::ffff.',
      },
    })
    expect(await routed('2001:db9::ffff')).toMatchObject({
      status: 201,
      body: { prefixPerServer: 64 },
    })
  })

  test('reserve the addresses of VMs that are not ours, with the reason', async () => {
    await shop.admin.call(api.sync.proxmox)
    const { addresses } = await mapOf((await named('Test')).id)
    const seen = addresses.filter(({ reason }) => reason?.startsWith('VM '))
    expect(seen.length).toBeGreaterThan(0)
    for (const one of seen) expect(one).toMatchObject({ state: 'reserved', server: null })
  })
})
