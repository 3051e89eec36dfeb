import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DnsServer } from './dns-server.ts'
import { powerDns } from './powerdns.ts'
import { type DnsHouse, dnsHouse } from './testing/dns-house.ts'
import { startPowerDnsStandIn } from './testing/powerdns-stand-in.ts'
import { hasPowerDns, startRealPowerDns } from './testing/real-powerdns.ts'

const REACH = { allowsLoopback: true, allowsPlainInside: true }
const V4 = '113.0.203.in-addr.arpa'
const PART = '128/25.113.0.203.in-addr.arpa'
const V6 = '8.b.d.0.1.0.0.2.ip6.arpa'
const SIX = `5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.${V6}`

// The same assertions for both, so that the stand-in stays true to the real one.
const SERVERS = [
  { name: 'the stand-in', isThere: true, start: () => startPowerDnsStandIn() },
  {
    name: 'Debian’s PowerDNS (skipped without it)',
    isThere: hasPowerDns,
    start: startRealPowerDns,
  },
]

for (const { name: which, isThere, start } of SERVERS) {
  describe.skipIf(!isThere)(`names told to ${which}`, () => {
    let house: DnsHouse
    let our: DnsServer

    afterAll(() => house.close())
    beforeAll(async () => {
      house = dnsHouse(await start())
      our = powerDns(house, REACH)
      for (const zone of [V4, '0.203.in-addr.arpa', PART, V6]) {
        expect(await house.addZone(zone)).toMatchObject({ status: 201 })
      }
    })

    const tell = (name: string, hostname: string | null) =>
      our.tell({ name, address: '203.0.113.5', hostname })

    test('are answered at once, changed and forgotten', async () => {
      const name = `5.${V4}`
      expect(await house.ptr(name)).toEqual([])
      await tell(name, 'mail.example.org')
      expect(await house.ptr(name)).toEqual(['mail.example.org'])
      await tell(name, 'www.example.org')
      await tell(name, 'www.example.org')
      expect(await house.ptr(name)).toEqual(['www.example.org'])
      await tell(name, null)
      await tell(name, null)
      expect(await house.ptr(name)).toEqual([])
    })

    test('are of IPv6, too', async () => {
      await tell(SIX, 'six.example.org')
      expect(await house.ptr(SIX)).toEqual(['six.example.org'])
      await tell(SIX, null)
      expect(await house.ptr(SIX)).toEqual([])
    })

    test('go to the zone for a part of a /24', async () => {
      const name = `200.${PART}`
      await tell(name, 'part.example.org')
      expect(await house.ptr(name)).toEqual(['part.example.org'])
    })

    test('go to the longest zone that holds them', async () => {
      await tell(`7.${V4}`, 'long.example.org')
      await tell('7.9.0.203.in-addr.arpa', 'short.example.org')
      expect(await house.ptr(`7.${V4}`)).toEqual(['long.example.org'])
      expect(await house.ptr('7.9.0.203.in-addr.arpa')).toEqual(['short.example.org'])
    })

    test('that no zone holds are refused, and are forgotten without a call', async () => {
      const name = '5.100.51.198.in-addr.arpa'
      await expect(tell(name, 'mail.example.org')).rejects.toMatchObject({
        fault: 'rejected',
        message: `PowerDNS has no zone for ${name}. Create it there, or correct the pool.`,
      })
      await expect(tell(name, null)).resolves.toBeUndefined()
    })

    test('that are none are refused with its own words', async () => {
      await expect(tell(`6.${V4}`, 'two words')).rejects.toMatchObject({
        fault: 'rejected',
        message: expect.stringMatching(/^PowerDNS refused it: Record 6\.113/),
      })
    })

    test('are not taken with a wrong key', async () => {
      const stranger = powerDns({ ...house, key: 'another' }, REACH)
      const told = stranger.tell({ name: `5.${V4}`, address: '203.0.113.5', hostname: 'a.example' })
      await expect(told).rejects.toMatchObject({
        fault: 'away',
        message: 'PowerDNS does not accept the key.',
      })
      expect(await house.ptr(`5.${V4}`)).toEqual([])
    })

    test('are refused where the address is not that of its API', async () => {
      const elsewhere = powerDns({ ...house, url: `${house.url}/elsewhere` }, REACH)
      await expect(elsewhere.check([])).rejects.toMatchObject({
        fault: 'away',
        message: expect.stringContaining('answered 404 instead of PowerDNS'),
      })
    })

    test('can be told: a test counts its zones, and names the missing one', async () => {
      expect(await our.check([])).toBe('PowerDNS answers with 4 zones.')
      expect(await our.check([V4, `9.${V4}`, 'in-addr.arpa'])).toBe(
        'PowerDNS answers with 4 zones, with those of the pools among them.',
      )
      await expect(our.check([V4, '100.51.198.in-addr.arpa'])).rejects.toMatchObject({
        message: 'PowerDNS answers, but has no zone 100.51.198.in-addr.arpa. Create it there.',
      })
    })

    test('must end with a dot on the wire', async () => {
      const bare = (name: string, content: string) => ({
        rrsets: [
          {
            name,
            type: 'PTR',
            ttl: 60,
            changetype: 'REPLACE',
            records: [{ content, disabled: false }],
          },
        ],
      })
      const patch = (body: object) => house.call('PATCH', `/${V4}.`, body)
      expect(await patch(bare(`5.${V4}`, 'a.example.'))).toMatchObject({
        status: 422,
        text: expect.stringContaining('is not canonical'),
      })
      expect(await patch(bare(`5.${V4}.`, 'a.example'))).toMatchObject({ status: 422 })
      expect(await patch(bare('5.9.9.9.in-addr.arpa.', 'a.example.'))).toMatchObject({
        status: 422,
        text: expect.stringContaining('Name is out of zone'),
      })
      expect(await patch({})).toMatchObject({ status: 422 })
      expect(await house.call('PATCH', '/9.9.9.in-addr.arpa.', {})).toMatchObject({ status: 404 })
      expect(await house.ptr(`5.${V4}`)).toEqual([])
    })
  })
}
