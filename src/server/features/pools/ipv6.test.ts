import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { type Backend, passes } from '#pve-sim/packets/passes.ts'
import { api } from '#shared/api/index.ts'
import { sweepAddresses } from '../../addresses/settle-addresses.ts'
import { addresses, pools } from '../../db/schema/addresses.ts'
import { endGrace } from '../../provisioning/testing/grace.ts'
import { openReinstalls, type SoldServer } from '../../provisioning/testing/reinstalls.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { TEST_POOL } from '../../testing/with-sim.ts'

const SIX = {
  name: 'Six',
  family: 6 as const,
  cidr: '2001:db8::/48',
  gateway: '2001:db8::1',
  ranges: [{ first: '2001:db8::10', last: '2001:db8::ff' }],
  nameservers: ['2620:fe::fe'],
  prefixPerServer: 64,
}
const PACKAGE = {
  name: 'Six',
  cpu: '1 CPU',
  ram: '1 GB RAM',
  storage: '20 GB SSD',
  price: 3,
  osOptions: ['Debian 12'],
}

describe.each(BOTH_DATABASES)('the IPv6 address of a server, on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const { shop, hand, ...our } = await openReinstalls(t)
  const clusterId = t.cluster.id
  const usePool6 = async (values: Partial<typeof SIX> & { bridge?: string }) => {
    await t.db.delete(pools).where(and(eq(pools.clusterId, clusterId), eq(pools.family, 6)))
    await t.db.insert(pools).values({ ...TEST_POOL, ...SIX, ...values, clusterId })
    await sweepAddresses(t.db, { clusterId, now: t.deps.clock.now() })
  }
  const stateOf = async (address: string | null) => {
    const here = and(eq(addresses.clusterId, clusterId), eq(addresses.address, address ?? ''))
    return (await t.db.select().from(addresses).where(here))[0]
  }
  const buy = async (packageId: string) => {
    const buyer = await t.make.client()
    const body = { packageId, osType: 'Debian 12' }
    const placed = await t.as(buyer).call(api.billing.order, { body })
    const row = await shop.orderRow(placed.order.id)
    return { buyer, row }
  }
  const leaves = (server: SoldServer, source: string) => {
    const vm = our.vmOf(server)
    const mac = /virtio=([^,]+)/.exec(vm.config.net0 ?? '')?.[1] ?? ''
    const backends: Backend[] = ['iptables', 'nftables']
    return backends.map((backend) =>
      passes(t.sim.state, vm, { mac, source, proto: 'tcp' }, backend),
    )
  }

  test('comes with the sale, reaches the guest with its gateway, and is shown with its prefix', async () => {
    await usePool6({})
    const server = await our.server()
    const token = await shop.tokenRow(server.tokenId)
    expect(token).toMatchObject({ ipv6Address: '2001:db8::10' })
    expect(await our.row(server)).toMatchObject({ ipv6Address: '2001:db8::10' })
    expect(our.vmOf(server).config).toMatchObject({
      ipconfig0: `ip=${token.ipAddress}/24,gw=203.0.113.1,ip6=2001:db8::10/64,gw6=2001:db8::1`,
      nameserver: expect.stringContaining('2620:fe::fe'),
    })
    expect(
      await t.as(server.user).call(api.network.get, { params: { id: server.id } }),
    ).toMatchObject({
      addresses: [
        { address: token.ipAddress, family: 4 },
        { address: '2001:db8::10', family: 6 },
      ],
      prefixes: ['2001:db8:0:10::/64'],
      antiSpoof: { ok: true },
    })
    const page = await t.as(server.user).call(api.servers.get, { params: { id: server.id } })
    expect(page.addresses).toEqual([token.ipAddress, '2001:db8::10'])
    expect(await stateOf('2001:db8::10')).toMatchObject({ state: 'used', instanceId: server.id })
  })

  test('and its prefix are what it may send from, and no other', async () => {
    await usePool6({})
    const server = await our.server()
    const { ipv6Address } = await shop.tokenRow(server.tokenId)
    const number = ipv6Address?.split('::')[1]
    expect(leaves(server, ipv6Address ?? '')).toEqual([true, true])
    expect(leaves(server, `2001:db8:0:${number}::5`)).toEqual([true, true])
    expect(leaves(server, '2001:db8::fe')).toEqual([false, false])
    expect(leaves(server, '2001:db8:0:99::5')).toEqual([false, false])
  })

  test('is kept by a reinstallation, and rests after the end with the other one', async () => {
    await usePool6({})
    const server = await our.server()
    const before = our.identity(server)
    expect((await our.ask(server.user, server)).status).toBe(202)
    await hand.runAll()
    expect(our.identity(server)).toEqual(before)
    const { ipAddress, ipv6Address } = await shop.tokenRow(server.tokenId)
    const params = { id: server.id }
    const body = { refund: 'none', confirm: String(server.vmId) } as const
    await shop.admin.call(api.instances.end, { params, body })
    await hand.runAll()
    await endGrace(t, hand, server.tokenId)
    for (const address of [ipAddress, ipv6Address]) {
      expect(await stateOf(address), String(address)).toMatchObject({ state: 'cooling' })
    }
  })

  test('is of a pool in the network of the other one, else the server goes without', async () => {
    await usePool6({ bridge: 'vmbr7' })
    const server = await our.server()
    const token = await shop.tokenRow(server.tokenId)
    expect(token.ipv6Address).toBeNull()
    expect(our.vmOf(server).config.ipconfig0).toBe(`ip=${token.ipAddress}/24,gw=203.0.113.1`)
    const network = await shop.admin.call(api.network.get, { params: { id: server.id } })
    expect(network).toMatchObject({ prefixes: [], antiSpoof: { ok: true } })
  })

  test('is the only one of a server whose package says so', async () => {
    await usePool6({})
    const plan = await shop.admin.call(api.packages.create, {
      body: { ...PACKAGE, ipv6Only: true },
    })
    const { buyer, row } = await buy(plan.id)
    await hand.runToEnd(row.jobId ?? '')
    const token = await shop.tokenRow(row.tokenId ?? 0)
    expect(token).toMatchObject({ status: 'assigned', ipAddress: null })
    const vm = t.sim.state.vms.get(token.proxmoxVmId ?? 0)
    expect(vm?.config.ipconfig0).toBe(`ip6=${token.ipv6Address}/64,gw6=2001:db8::1`)
    const [mine] = await t.as(buyer).call(api.client.tokens)
    expect(mine).toMatchObject({ ipAddress: token.ipv6Address })
    const id = token.assignedInstanceId ?? 0
    const page = await t.as(buyer).call(api.servers.get, { params: { id } })
    expect(page.addresses).toEqual([token.ipv6Address])
    expect(await stateOf(token.ipv6Address)).toMatchObject({ state: 'used', instanceId: id })
  })

  test('that is missing leaves the order of such a package waiting, and others without harm', async () => {
    await t.db.delete(pools).where(and(eq(pools.clusterId, clusterId), eq(pools.family, 6)))
    const six = await shop.admin.call(api.packages.create, { body: { ...PACKAGE, ipv6Only: true } })
    const { row } = await buy(six.id)
    expect(row).toMatchObject({
      status: 'paid',
      tokenId: null,
      failureDetail: 'No free IPv6 address is left in the cluster.',
    })
    const both = await shop.admin.call(api.packages.create, { body: PACKAGE })
    const { row: other } = await buy(both.id)
    expect(await shop.tokenRow(other.tokenId ?? 0)).toMatchObject({ ipv6Address: null })
  })

  test('goes back with an order that is not delivered', async () => {
    await usePool6({})
    const message = 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'
    const plan = await shop.admin.call(api.packages.create, { body: PACKAGE })
    t.sim.faults.add({ kind: '403', count: 1, message, path: '/clone$', method: 'POST' })
    const { row } = await buy(plan.id)
    const { ipv6Address } = await shop.tokenRow(row.tokenId ?? 0)
    expect(await stateOf(ipv6Address)).toMatchObject({ state: 'held', tokenId: row.tokenId })
    await hand.run(row.jobId ?? '')
    t.sim.faults.clear()
    expect(await stateOf(ipv6Address)).toMatchObject({ state: 'free', tokenId: null })
  })
})
