import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { api } from '#shared/api/index.ts'
import { reverseName } from '#shared/rules/reverse-dns/reverse-name.ts'
import { pools, reverseNames } from '../../db/schema/addresses.ts'
import { openHandovers } from '../../provisioning/testing/handovers.ts'
import type { SoldServer } from '../../provisioning/testing/reinstalls.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import type { DnsHouse } from './dns-house.ts'

export const ZONE = '113.0.203.in-addr.arpa'
export const PATTERN = '{a}-{b}-{c}-{d}.vps.example'

/** A shop whose addresses have names in this DNS server. */
export async function openNamedShop(t: SimApp, house: DnsHouse) {
  const { shop, hand, ...our } = await openHandovers(t)
  const names = { rdns: ZONE, rdnsPattern: PATTERN }
  await t.db.update(pools).set(names).where(eq(pools.clusterId, t.cluster.id))
  for (const zone of [ZONE, 'example']) {
    expect(await house.addZone(zone)).toMatchObject({ status: 201 })
  }
  const connect = () =>
    shop.admin.call(api.reverseDns.connect, {
      body: { kind: 'powerdns', url: house.url, secret: house.key },
    })
  await connect()
  await t.deps.background.idle()

  const addressOf = async ({ tokenId }: SoldServer) =>
    (await shop.tokenRow(tokenId)).ipAddress ?? ''

  return {
    ...our,
    shop,
    hand,
    connect,
    addressOf,
    /** What every process does by itself every few seconds. */
    tell: () => hand.tellNames(),
    settle: () => hand.nameDrift(),
    given: (address: string) => `${address.replaceAll('.', '-')}.vps.example`,
    async named() {
      const server = await our.server()
      return { server, address: await addressOf(server) }
    },
    /** The name leads to the address, as its owner says. */
    lead: async (name: string, address: string) => {
      const type = address.includes(':') ? 'AAAA' : 'A'
      expect(await house.put('example', name, type, address)).toMatchObject({ status: 204 })
    },
    ask: (who: Person, { id }: SoldServer, address: string, hostname: string | null) =>
      t.as(who).attempt(api.reverseDns.set, { params: { id }, body: { address, hostname } }),
    /** What its page says of the address. */
    async seen(who: Person, { id }: SoldServer, address: string) {
      const { addresses } = await t.as(who).call(api.network.get, { params: { id } })
      return addresses.find((one) => one.address === address)?.rdns
    },
    /** What the DNS server answers. */
    ptr: (address: string, zone = ZONE) => house.ptr(reverseName(address, zone) ?? ''),
    async row(address: string) {
      const [row] = await t.db.select().from(reverseNames).where(eq(reverseNames.address, address))
      return row
    },
  }
}
