import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { settleAddresses } from '../addresses/settle-addresses.ts'
import { pools } from '../db/schema/addresses.ts'
import { instances } from '../db/schema/stock.ts'
import { endGrace } from '../provisioning/testing/grace.ts'
import { type SimApp, testApp } from '../testing/test-app.ts'
import { type DnsHouse, dnsHouse } from './testing/dns-house.ts'
import { openNamedShop } from './testing/named-shop.ts'
import { startPowerDnsStandIn } from './testing/powerdns-stand-in.ts'
import { hasPowerDns, startRealPowerDns } from './testing/real-powerdns.ts'

const SIX_ZONE = '8.b.d.0.1.0.0.2.ip6.arpa'
const SIX = '2001:db8::1:5'

const KINDS = [
  { dns: 'the stand-in', database: 'embedded', isThere: true, start: startPowerDnsStandIn },
  { dns: 'the stand-in', database: 'postgres', isThere: true, start: startPowerDnsStandIn },
  {
    dns: 'Debian’s PowerDNS (skipped without it)',
    database: 'postgres',
    isThere: hasPowerDns,
    start: startRealPowerDns,
  },
] as const

for (const { dns, database, isThere, start } of KINDS) {
  describe.skipIf(!isThere)(`the reverse name of a server, on ${database}, in ${dns}`, () => {
    let t: SimApp
    let house: DnsHouse
    let our: Awaited<ReturnType<typeof openNamedShop>>

    afterAll(async () => {
      await t.close()
      await house.close()
    })
    beforeAll(async () => {
      house = dnsHouse(await start())
      t = await testApp({ database, sim: true, env: { DNS_SERVERS: house.resolver } })
      our = await openNamedShop(t, house)
    })

    test('follows the pattern from its delivery on, until it ends', async () => {
      const { server, address } = await our.named()
      const given = our.given(address)
      expect(await our.seen(server.user, server, address)).toEqual({
        hostname: given,
        isDefault: true,
        state: 'pending',
        why: null,
      })
      await our.tell()
      expect(await our.ptr(address)).toEqual([given])
      expect(await our.seen(server.user, server, address)).toMatchObject({ state: 'set' })

      const body = { refund: 'none', confirm: String(server.vmId) } as const
      await our.shop.admin.call(api.instances.end, { params: { id: server.id }, body })
      await our.hand.runAll()
      await endGrace(t, our.hand, server.tokenId)
      await our.tell()
      expect(await our.ptr(address)).toEqual([])
      expect(await our.row(address)).toBeUndefined()
    })

    test('is its owner’s choice, if that name leads to the address', async () => {
      const { server, address } = await our.named()
      const set = (hostname: string | null) => our.ask(server.user, server, address, hostname)
      await our.tell()
      const refused = await set('mail.example')
      expect(refused).toMatchObject({
        status: 422,
        body: {
          code: 'NOT_FORWARD_CONFIRMED',
          message: expect.stringContaining(`mail.example has no A record for ${address}. Add it`),
        },
      })
      await t.deps.background.idle()
      expect(await our.ptr(address)).toEqual([our.given(address)])

      await our.lead('mail.example', address)
      expect(await set('Mail.Example.')).toMatchObject({
        status: 200,
        body: { hostname: 'mail.example', isDefault: false, state: 'pending', why: null },
      })
      await t.deps.background.idle()
      expect(await our.ptr(address)).toEqual(['mail.example'])
      expect(await our.seen(server.user, server, address)).toMatchObject({ state: 'set' })

      await our.lead('www.example', '198.51.100.9')
      expect(await set('www.example')).toMatchObject({ status: 422 })
      await our.lead('www.example', address)
      expect(await set('www.example')).toMatchObject({ status: 200 })
      await t.deps.background.idle()
      expect(await our.ptr(address)).toEqual(['www.example'])

      expect(await set(null)).toMatchObject({ body: { isDefault: true } })
      await t.deps.background.idle()
      expect(await our.ptr(address)).toEqual([our.given(address)])
    })

    test('is of IPv6, too', async () => {
      await house.addZone(SIX_ZONE)
      await t.db.insert(pools).values({
        clusterId: t.cluster.id,
        name: 'Six',
        family: 6,
        cidr: '2001:db8::/48',
        gateway: '2001:db8::1',
        bridge: 'vmbr0',
        nameservers: ['2620:fe::fe'],
        searchDomain: 'test.example',
        ranges: [{ first: '2001:db8::1:0', last: '2001:db8::1:ffff' }],
        rdns: SIX_ZONE,
        rdnsPattern: '{ip}.six.example',
      })
      const { server } = await our.named()
      await t.db.update(instances).set({ ipv6Address: SIX }).where(eq(instances.id, server.id))
      const place = { clusterId: t.cluster.id, now: t.deps.clock.now() }
      await t.db.transaction((tx) => settleAddresses(tx, place, [SIX]))
      await our.tell()
      expect(await our.ptr(SIX, SIX_ZONE)).toEqual(['2001-db8-0-0-0-0-1-5.six.example'])

      expect(await our.ask(server.user, server, SIX, 'six.example')).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining(`six.example has no AAAA record for ${SIX}`) },
      })
      await our.lead('six.example', SIX)
      // Another spelling of the same address.
      expect(await our.ask(server.user, server, '2001:DB8:0::1:5', 'six.example')).toMatchObject({
        status: 200,
      })
      await t.deps.background.idle()
      expect(await our.ptr(SIX, SIX_ZONE)).toEqual(['six.example'])

      // It gets another address: nothing is left at the old one.
      await t.db.update(instances).set({ ipv6Address: null }).where(eq(instances.id, server.id))
      await t.db.transaction((tx) => settleAddresses(tx, place, [SIX]))
      await our.tell()
      expect(await our.ptr(SIX, SIX_ZONE)).toEqual([])
    })

    test('that its owner chose ends when it goes to another account', async () => {
      const { server, address } = await our.named()
      const name = 'given.example'
      await our.lead(name, address)
      await our.ask(server.user, server, address, name)
      await t.deps.background.idle()
      expect(await our.ptr(address)).toEqual([name])

      const code = await our.codeFor(server)
      const receiver = await t.make.client()
      expect(await our.take(receiver, code)).toMatchObject({ status: 202 })
      expect(await our.row(address)).toMatchObject({ hostname: null, ownerId: receiver.id })
      await our.tell()
      expect(await our.ptr(address)).toEqual([our.given(address)])
      expect(await our.ask(server.user, server, address, name)).toMatchObject({ status: 404 })
      expect(await our.ask(receiver, server, address, name)).toMatchObject({ status: 200 })
    })
  })
}
