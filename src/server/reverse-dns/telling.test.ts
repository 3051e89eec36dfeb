import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { sweepAddresses } from '../addresses/settle-addresses.ts'
import { addresses, pools, reverseNames } from '../db/schema/addresses.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { instances } from '../db/schema/stock.ts'
import { byHand } from '../provisioning/testing/by-hand.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { dnsHouse } from './testing/dns-house.ts'
import { heldWebhook } from './testing/held-webhook.ts'
import { openNamedShop, PATTERN, ZONE } from './testing/named-shop.ts'
import { startPowerDnsStandIn } from './testing/powerdns-stand-in.ts'

describe.each(BOTH_DATABASES)('reverse names, on %s', async (database) => {
  const clock = testClock()
  const house = dnsHouse(await startPowerDnsStandIn())
  const t = await testApp({ database, sim: true, clock, env: { DNS_SERVERS: house.resolver } })
  const our = await openNamedShop(t, house)

  test('wait while the DNS server is away, say why, and are set when it is back', async () => {
    const [first, second] = [await our.named(), await our.named()]
    house.faults.isAway = true
    await our.tell()
    for (const { address } of [first, second]) {
      const row = await our.row(address)
      expect(row).toMatchObject({ state: 'failed', tries: 1, busyUntil: null })
      expect(row?.nextAt).toEqual(new Date(clock.now().getTime() + 10_000))
    }
    expect(await our.seen(first.server.user, first.server, first.address)).toEqual({
      hostname: our.given(first.address),
      isDefault: true,
      state: 'failed',
      why: 'The DNS server has not taken it yet. It is asked again by itself.',
    })
    const { failed } = await our.shop.admin.call(api.reverseDns.get)
    expect(failed.map(({ address, why }) => [address, why])).toEqual(
      expect.arrayContaining([[first.address, expect.stringContaining('closed the connection')]]),
    )
    const asked = house.asked.length
    clock.advance(9000)
    house.faults.isAway = false
    await our.tell()
    expect(house.asked.length).toBe(asked)
    clock.advance(1000)
    await our.tell()
    for (const { address } of [first, second]) {
      expect(await our.ptr(address)).toEqual([our.given(address)])
      expect(await our.row(address)).toMatchObject({ state: 'set', tries: 0, reason: null })
    }
  })

  test('are tried ever less often, at least every quarter of an hour', async () => {
    const { address } = await our.named()
    const other = await our.named()
    house.faults.isBusy = true
    const before = house.asked.length
    const pauses: number[] = []
    for (let tries = 0; tries < 9; tries += 1) {
      await our.tell()
      const row = await our.row(address)
      const pause = (row?.nextAt.getTime() ?? 0) - clock.now().getTime()
      pauses.push(pause / 1000)
      clock.advance(pause)
    }
    house.faults.isBusy = false
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900])
    // Only the first name is sent: its failure says that the DNS server is busy for the second, too.
    expect(house.asked.length - before).toBe(pauses.length)
    expect(await our.row(other.address)).toMatchObject({ state: 'failed', tries: pauses.length })
    await our.tell()
    expect(await our.row(address)).toMatchObject({ state: 'set' })
  })

  test('that the DNS server does not take do not hold up the others', async () => {
    const [first, second] = [await our.named(), await our.named()]
    const lost = { name: '5.100.51.198.in-addr.arpa' }
    await t.db.update(reverseNames).set(lost).where(eq(reverseNames.address, first.address))
    await our.tell()
    expect(await our.row(first.address)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('PowerDNS has no zone for 5.100.51.198.in-addr.arpa.'),
    })
    expect(await our.ptr(second.address)).toEqual([our.given(second.address)])
    await t.db.delete(reverseNames).where(eq(reverseNames.address, first.address))
  })

  test('of a process that was killed are told by another after a minute', async () => {
    const { address } = await our.named()
    const busyUntil = new Date(clock.now().getTime() + MINUTE_MS)
    await t.db.update(reverseNames).set({ busyUntil }).where(eq(reverseNames.address, address))
    await our.tell()
    expect(await our.ptr(address)).toEqual([])
    clock.advance(MINUTE_MS)
    await our.tell()
    expect(await our.ptr(address)).toEqual([our.given(address)])
  })

  test('are told again every day, so that what was lost there comes back', async () => {
    const { address } = await our.named()
    await our.tell()
    const name = `${address.split('.')[3]}.${ZONE}`
    await house.put(ZONE, name, 'PTR', 'somebody.else.')
    await our.tell()
    expect(await our.ptr(address)).toEqual(['somebody.else'])
    clock.advance(DAY_MS)
    house.faults.isAway = true
    await our.tell()
    expect(await our.row(address)).toMatchObject({ state: 'set', reason: null, tries: 1 })
    house.faults.isAway = false
    clock.advance(10_000)
    await our.tell()
    expect(await our.ptr(address)).toEqual([our.given(address)])
  })

  test('are told by one process at a time, and the newest wish last', async () => {
    const { server, address } = await our.named()
    const hook = await heldWebhook()
    const body = { kind: 'webhook', url: hook.url, secret: 'a secret' } as const
    await our.shop.admin.call(api.reverseDns.connect, { body })
    await t.deps.background.idle()
    await our.lead('newer.example', address)
    await our.tell()
    await t.db
      .update(reverseNames)
      .set({ nextAt: new Date(0) })
      .where(eq(reverseNames.address, address))
    hook.asked.splice(0)
    const holding = hook.hold()
    const other = byHand(t)
    const first = our.tell()
    await holding.isAsked
    // While the first process waits for its answer, a wish is made and others come by.
    const asking = our.ask(server.user, server, address, 'newer.example')
    expect(await asking).toMatchObject({ status: 200 })
    await t.deps.background.idle()
    await other.tellNames()
    expect(hook.namesOf(address)).toEqual([our.given(address)])
    holding.release()
    await first
    expect(await our.row(address)).toMatchObject({ state: 'pending', wanted: 'newer.example' })
    await Promise.all([other.tellNames(), our.tell()])
    expect(hook.namesOf(address)).toEqual([our.given(address), 'newer.example'])
    expect(await our.row(address)).toMatchObject({ state: 'set', busyUntil: null })
    await our.connect()
    await t.deps.background.idle()
    expect(await our.ptr(address)).toEqual(['newer.example'])
  })

  test('go when their pool has no zone any more, and come back with it', async () => {
    const { address } = await our.named()
    await our.tell()
    const here = eq(pools.clusterId, t.cluster.id)
    await t.db.update(pools).set({ rdns: null }).where(here)
    await our.settle()
    await our.tell()
    expect(await our.ptr(address)).toEqual([])
    expect(await our.row(address)).toBeUndefined()
    await t.db.update(pools).set({ rdns: ZONE }).where(here)
    await our.settle()
    await our.tell()
    expect(await our.ptr(address)).toEqual([our.given(address)])
  })

  test('go when nobody has their address any more, though nobody said so', async () => {
    const { address } = await our.named()
    await our.tell()
    await t.db.update(addresses).set({ instanceId: null }).where(eq(addresses.address, address))
    await our.settle()
    await our.tell()
    expect(await our.ptr(address)).toEqual([])
    await sweepAddresses(t.db, { clusterId: t.cluster.id, now: clock.now() })
  })

  test('move with the zone of their pool, and keep what the owner chose', async () => {
    const { server, address } = await our.named()
    await our.lead('moved.example', address)
    await our.ask(server.user, server, address, 'moved.example')
    await t.deps.background.idle()
    const part = `0/24.${ZONE}`
    await house.addZone(part)
    const here = eq(pools.clusterId, t.cluster.id)
    await t.db.update(pools).set({ rdns: part, rdnsPattern: PATTERN }).where(here)
    await our.settle()
    await our.tell()
    expect(await our.ptr(address, part)).toEqual(['moved.example'])
    expect(await our.ptr(address)).toEqual([])
    await t.db.update(pools).set({ rdns: ZONE }).where(here)
    await our.settle()
    await our.tell()
    expect(await our.ptr(address)).toEqual(['moved.example'])
  })

  test('of addresses that a guest merely claims to have are not its to choose', async () => {
    const vm = await our.shop.vm(101)
    const owner = await t.make.client()
    const address = '203.0.113.251'
    const claimed = { ownerId: owner.id, seenAddresses: [address] }
    await t.db.update(instances).set(claimed).where(eq(instances.id, vm.id))
    await sweepAddresses(t.db, { clusterId: t.cluster.id, now: clock.now() })
    await our.settle()
    expect(await our.row(address)).toBeUndefined()
    await our.lead('claimed.example', address)
    const server = { id: vm.id, vmId: 101, user: owner, tokenId: 0, name: '' }
    expect(await our.ask(owner, server, address, 'claimed.example')).toMatchObject({ status: 400 })
    await t.db
      .update(instances)
      .set({ ownerId: null, seenAddresses: [] })
      .where(eq(instances.id, vm.id))
  })

  test('outlive their cluster until the DNS server has forgotten them', async () => {
    const { address } = await our.named()
    await our.tell()
    const [gone] = await t.db
      .insert(clusters)
      .values({
        uid: 'gone',
        name: 'Gone',
        host: 'gone.example',
        username: 'root@pam',
        password: '',
      })
      .returning()
    const moved = { clusterId: gone?.id ?? null }
    await t.db.update(reverseNames).set(moved).where(eq(reverseNames.address, address))
    await t.db.delete(clusters).where(eq(clusters.id, gone?.id ?? 0))
    expect(await our.row(address)).toMatchObject({ clusterId: null, wanted: our.given(address) })
    await our.settle()
    await our.tell()
    expect(await our.ptr(address)).toEqual([])
    expect(await t.db.$count(reverseNames, sql`cluster_id is null`)).toBe(0)
  })
})
