import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog, settings } from '../../db/schema/accounts.ts'
import { pools, reverseNames } from '../../db/schema/addresses.ts'
import { dnsHouse } from '../../reverse-dns/testing/dns-house.ts'
import { openNamedShop, PATTERN, ZONE } from '../../reverse-dns/testing/named-shop.ts'
import { startPowerDnsStandIn } from '../../reverse-dns/testing/powerdns-stand-in.ts'
import { testApp } from '../../testing/test-app.ts'

describe('reverse DNS', async () => {
  const house = dnsHouse(await startPowerDnsStandIn())
  const t = await testApp({ sim: true, env: { DNS_SERVERS: house.resolver } })
  const our = await openNamedShop(t, house)
  const { server, address } = await our.named()
  const other = await our.named()
  const boss = await t.make.admin()

  const NOWHERE = 'http://127.0.0.1:9'
  const body = { kind: 'powerdns', url: house.url, secret: house.key } as const
  const connect = (change: object = {}) =>
    our.shop.admin.attempt(api.reverseDns.connect, { body: { ...body, ...change } })
  const tested = (change: object = {}) =>
    our.shop.admin.attempt(api.reverseDns.test, { body: { ...body, ...change } })

  test('is its owner’s and the operators’, and nobody else’s', async () => {
    await our.lead('mine.example', address)
    const stranger = await our.ask(other.server.user, server, address, 'mine.example')
    expect(stranger).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    // Nor does a stranger learn which addresses it has.
    const curious = await our.ask(other.server.user, server, '198.51.100.9', null)
    expect(curious.body).toEqual(stranger.body)
    const asked = { params: { id: server.id }, body: { address, hostname: null } }
    expect((await t.visitor.attempt(api.reverseDns.set, asked)).status).toBe(401)
    expect(await our.row(address)).toMatchObject({ hostname: null, wish: 1 })
    expect(await our.ask(boss, server, address, 'mine.example')).toMatchObject({ status: 200 })
    expect(await our.row(address)).toMatchObject({
      hostname: 'mine.example',
      ownerId: server.user.id,
    })
    expect(await our.ask(server.user, server, address, null)).toMatchObject({ status: 200 })
  })

  test('is for the server’s own addresses', async () => {
    await our.lead('theirs.example', other.address)
    for (const one of [other.address, '203.0.113.1', '198.51.100.9', '2001:db8::5']) {
      const message = `Reverse DNS is not offered for ${one}, or this server does not have it.`
      expect(await our.ask(server.user, server, one, 'theirs.example')).toMatchObject({
        status: 400,
        body: { code: 'INVALID_INPUT', message, details: [{ path: 'address', message }] },
      })
    }
    expect(await our.row(other.address)).toMatchObject({ hostname: null })
  })

  test.each(['localhost', 'two words.example', '203.0.113.5', '*.example', 'a'.repeat(400), ''])(
    'refuses the name %j before it asks anybody',
    async (hostname) => {
      expect(await our.ask(server.user, server, address, hostname)).toMatchObject({
        status: 400,
        body: { details: [{ path: 'hostname', message: expect.stringContaining('a whole name') }] },
      })
    },
  )

  test('refuses an address that is none', async () => {
    expect(await our.ask(server.user, server, 'nonsense', null)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'address', message: 'Invalid IP address' }] },
    })
  })

  test('asked for twice at once is set once, to one of both', async () => {
    await our.lead('one.example', address)
    await our.lead('two.example', address)
    const names = ['one.example', 'two.example', 'one.example', 'two.example']
    const answers = await Promise.all(
      names.map((name) => our.ask(server.user, server, address, name)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await t.deps.background.idle()
    await our.tell()
    const row = await our.row(address)
    expect(row).toMatchObject({ state: 'set', busyUntil: null })
    expect(await our.ptr(address)).toEqual([row?.wanted])
    expect(await t.db.$count(reverseNames, eq(reverseNames.address, address))).toBe(1)
    await our.ask(server.user, server, address, null)
  })

  test('asks at once again for a name that failed', async () => {
    await t.deps.background.idle()
    await our.lead('again.example', address)
    house.faults.isAway = true
    expect(await our.ask(server.user, server, address, 'again.example')).toMatchObject({
      status: 200,
    })
    await t.deps.background.idle()
    expect(await our.seen(boss, server, address)).toMatchObject({
      state: 'failed',
      why: expect.stringContaining('closed the connection'),
    })
    house.faults.isAway = false
    await our.ask(server.user, server, address, 'again.example')
    await t.deps.background.idle()
    expect(await our.ptr(address)).toEqual(['again.example'])
    const { reverseNames: mine } = await t.as(server.user).call(api.account.export)
    expect(mine).toEqual([{ address, hostname: 'again.example' }])
  })

  test('tells the log that a name was changed, and not which', async () => {
    const target = `instance:${server.id}`
    const log = await t.db.select().from(auditLog).where(eq(auditLog.target, target))
    const entries = log.filter(({ action }) => action.startsWith('instance.rdns'))
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['instance.rdns', 'instance.rdns-reset']),
    )
    for (const { details } of entries) expect(details).toEqual({ address })
  })

  test('has none where the pool has no pattern, and no row for nothing', async () => {
    const here = eq(pools.clusterId, t.cluster.id)
    await t.db.update(pools).set({ rdnsPattern: null }).where(here)
    const plain = await our.named()
    expect(await our.seen(plain.server.user, plain.server, plain.address)).toEqual({
      hostname: null,
      isDefault: true,
      state: 'set',
      why: null,
    })
    await our.ask(plain.server.user, plain.server, plain.address, null)
    expect(await our.row(plain.address)).toBeUndefined()
    await our.lead('plain.example', plain.address)
    await our.ask(plain.server.user, plain.server, plain.address, 'plain.example')
    await t.deps.background.idle()
    expect(await our.ptr(plain.address)).toEqual(['plain.example'])
    await our.ask(plain.server.user, plain.server, plain.address, null)
    await t.deps.background.idle()
    expect(await our.ptr(plain.address)).toEqual([])
    expect(await our.row(plain.address)).toBeUndefined()
    await t.db.update(pools).set({ rdnsPattern: PATTERN }).where(here)
    await our.settle()
    await our.tell()
    expect(await our.ptr(plain.address)).toEqual([our.given(plain.address)])
  })

  test('keeps the name of an address in the cluster that had it first', async () => {
    const { server: late, address: same } = await our.named()
    const name = `${same.split('.')[3]}.${ZONE}`
    await t.db.delete(reverseNames).where(eq(reverseNames.name, name))
    const first = { clusterId: null, address: same, name, wanted: 'first.example' }
    await t.db.insert(reverseNames).values({ ...first, nextAt: new Date() })
    await our.lead('late.example', same)
    expect(await our.ask(late.user, late, same, 'late.example')).toMatchObject({
      status: 409,
      body: { message: 'A server of another cluster has the name of this address.' },
    })
    await t.db.delete(reverseNames).where(eq(reverseNames.name, name))
  })

  test('has a DNS server whose key is sealed, and never shown', async () => {
    const seen = await our.shop.admin.call(api.reverseDns.get)
    expect(seen.server).toEqual({ kind: 'powerdns', url: house.url })
    expect(JSON.stringify(seen)).not.toContain(house.key)
    const [row] = await t.db.select().from(settings).where(eq(settings.key, 'reverse-dns'))
    expect(row?.value).toMatch(/^v1:/)
    expect(row?.value).not.toContain(house.key)
    const client = t.as(server.user)
    expect((await client.attempt(api.reverseDns.get)).status).toBe(403)
    expect((await client.attempt(api.reverseDns.connect, { body })).status).toBe(403)
    expect((await client.attempt(api.reverseDns.test, { body })).status).toBe(403)
  })

  test('stores no DNS server that does not answer', async () => {
    expect(await connect({ url: NOWHERE })).toMatchObject({
      status: 503,
      body: { code: 'DNS_UNAVAILABLE', message: expect.stringContaining('refused the connection') },
    })
    expect(await connect({ secret: 'wrong' })).toMatchObject({
      status: 503,
      body: { message: 'PowerDNS does not accept the key.' },
    })
    const { server: kept } = await our.shop.admin.call(api.reverseDns.get)
    expect(kept).toEqual({ kind: 'powerdns', url: house.url })
    await our.tell()
  })

  test('sends the stored key nowhere else', async () => {
    const message = 'Enter the key again: the stored one goes only where it was entered for.'
    for (const change of [{ url: NOWHERE }, { kind: 'webhook' }]) {
      const asked = { ...change, secret: undefined }
      expect(await tested(asked)).toMatchObject({
        status: 400,
        body: { details: [{ path: 'secret', message }] },
      })
      expect(await connect(asked)).toMatchObject({ status: 400 })
    }
    expect(await tested({ secret: undefined })).toMatchObject({ status: 200 })
    expect(await connect({ secret: undefined })).toMatchObject({ status: 200 })
  })

  test.each([
    [{ url: 'dns.example.net' }, 'url'],
    [{ url: 'ftp://dns.example.net' }, 'url'],
    [{ url: 'http://key@dns.example.net' }, 'url'],
    [{ url: 'http://dns.example.net?key=1' }, 'url'],
    [{ kind: 'bind' }, 'kind'],
    [{ secret: '' }, 'secret'],
  ])('refuses a DNS server with %j at the field', async (change, path) => {
    expect(await connect(change)).toMatchObject({ status: 400, body: { details: [{ path }] } })
  })

  test.each([
    ['powerdns', 'http://169.254.169.254', /metadata/],
    ['powerdns', 'http://203.0.113.200', /https/],
    ['webhook', 'http://10.0.0.5', /https/],
    ['webhook', 'https://169.254.169.254', /metadata/],
  ])('calls no %s at %s', async (kind, url, message) => {
    expect(await tested({ kind, url })).toMatchObject({
      status: 503,
      body: { message: expect.stringMatching(message) },
    })
  })

  test('is tested with the zones of the pools', async () => {
    expect(await tested()).toMatchObject({
      status: 200,
      body: { message: 'PowerDNS answers with 2 zones, with those of the pools among them.' },
    })
    const here = eq(pools.clusterId, t.cluster.id)
    await t.db.update(pools).set({ rdns: '203.in-addr.arpa' }).where(here)
    expect(await tested()).toMatchObject({ status: 200 })
    await t.db.update(pools).set({ rdns: '9.9.in-addr.arpa' }).where(here)
    expect(await tested()).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('has no zone 9.9.in-addr.arpa') },
    })
    await t.db.update(pools).set({ rdns: ZONE }).where(here)
  })

  test('is not offered while no DNS server is named, and nothing is lost', async () => {
    await our.shop.admin.call(api.reverseDns.disconnect)
    expect(await our.seen(server.user, server, address)).toBeNull()
    expect(await our.ask(server.user, server, address, null)).toMatchObject({
      status: 409,
      body: { message: 'Reverse DNS is not offered here.' },
    })
    const { address: later } = await our.named()
    await our.tell()
    expect(await our.ptr(later)).toEqual([])
    await our.connect()
    await t.deps.background.idle()
    expect(await our.ptr(later)).toEqual([our.given(later)])
    expect(await our.seen(server.user, server, address)).toMatchObject({ state: 'set' })
  })

  test('tells a DNS server that is named anew every name once more', async () => {
    const named = await our.ptr(address)
    expect(named).toHaveLength(1)
    const record = `${address.split('.')[3]}.${ZONE}`
    await house.put(ZONE, record, 'PTR', 'somebody.else.')
    await our.connect()
    await t.deps.background.idle()
    expect(await our.ptr(address)).toEqual(named)
  })
})
