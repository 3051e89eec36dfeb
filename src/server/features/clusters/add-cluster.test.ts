import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { clusterBody, ZEROS } from '../../testing/cluster-body.ts'
import { testApp } from '../../testing/test-app.ts'
import { startTestSim } from '../../testing/with-sim.ts'

describe('adding a cluster', async () => {
  const sim = await startTestSim()
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const stored = () => t.db.select().from(clusters)

  test('without a confirmed certificate shows it, and has sent no credential', async () => {
    const before = sim.requests.length
    const { tlsFingerprint: _, ...body } = clusterBody(sim)
    const answer = await admin.attempt(api.clusters.create, { body })
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'CERTIFICATE_UNTRUSTED', details: { fingerprint: sim.fingerprint } },
    })
    expect(sim.requests.length).toBe(before)
    expect(await stored()).toEqual([])
  })

  const closed = createServer()
  const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const portOf = async (server: typeof plain) => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }
  const closedPort = await portOf(closed)
  closed.close()
  const plainPort = await portOf(plain)
  afterAll(async () => {
    plain.close()
    await sim.close()
  })

  const user = (username: string, password: string) => ({ username, password })
  const cases: [string, object, number, string, RegExp][] = [
    [
      'a name nobody has',
      { host: 'no-such-host.invalid' },
      503,
      'CLUSTER_UNAVAILABLE',
      /No host of this name/,
    ],
    [
      'a closed port',
      { port: closedPort },
      503,
      'CLUSTER_UNAVAILABLE',
      /refused the connection: is the port right/,
    ],
    ['a port without TLS', { port: plainPort }, 422, 'CERTIFICATE_UNTRUSTED', /not speak https/],
    [
      'another certificate than confirmed',
      { tlsFingerprint: Array(32).fill('00').join(':') },
      422,
      'CERTIFICATE_UNTRUSTED',
      /another certificate/,
    ],
    [
      'a wrong password',
      user('root@pam', 'wrong'),
      422,
      'CLUSTER_REFUSED',
      /user name and password/,
    ],
    ['a wrong API token', { password: ZEROS }, 422, 'CLUSTER_REFUSED', /API token/],
    ['a second factor', user('tfa@pve', 'tfa-password'), 422, 'CLUSTER_REFUSED', /second factor/],
    [
      'missing privileges',
      user('viewer@pve!nothing', ZEROS),
      422,
      'CLUSTER_REFUSED',
      /lacks .*VM\.Allocate.* on \/pool\/hushbox \(to create/,
    ],
    ['a metadata address', { host: '169.254.169.254' }, 400, 'INVALID_INPUT', /metadata/],
    ['a port of another service', { port: 22 }, 400, 'INVALID_INPUT', /8006/],
    ['an address with a port', { host: 'pve:8006' }, 400, 'INVALID_INPUT', /without a path/],
  ]
  test.each(cases)(
    '%s has its own message, and stores nothing',
    async (_, values, status, code, message) => {
      const answer = await admin.attempt(api.clusters.create, { body: clusterBody(sim, values) })
      expect(answer).toMatchObject({
        status,
        body: { code, message: expect.stringMatching(message) },
      })
      expect(await stored()).toEqual([])
      expect([...t.deps.hypervisors.all().keys()]).toEqual([])
    },
  )

  test('lists missing privileges with the commands that grant them', async () => {
    const body = clusterBody(sim, user('viewer@pve!nothing', ZEROS))
    const answer = await admin.attempt(api.clusters.create, { body })
    expect(answer.body.details).toMatchObject({
      commands: expect.arrayContaining([expect.stringMatching(/^pveum acl modify/)]),
    })
    const tested = await admin.call(api.clusters.test, { body })
    expect(tested.fingerprint).toBe(sim.fingerprint)
    expect(tested.diagnosis.missing.length).toBeGreaterThan(0)
    expect(await stored()).toEqual([])
  })

  test('succeeds with the least permissions we ask for, in the pool they are granted on', async () => {
    const body = clusterBody(sim, user('vps@pve!app', ZEROS))
    expect((await admin.call(api.clusters.test, { body })).diagnosis.missing).toEqual([])
    const made = await admin.call(api.clusters.create, { body })
    expect(made.settings).toMatchObject({ pool: 'vps', storage: 'ceph-vm' })
    await admin.call(api.clusters.remove, { params: { id: made.id } })
  })

  test('stores it sealed, reads it, and starts with settings that fit', async () => {
    const made = await admin.call(api.clusters.create, { body: clusterBody(sim) })
    expect(made).toMatchObject({
      name: 'House',
      status: 'connected',
      problem: null,
      isDefault: true,
      tlsFingerprint: sim.fingerprint,
      settings: {
        storage: 'ceph-vm',
        pool: null,
        cloneMode: 'full',
        vmIdRange: { first: 10_000, last: 99_999 },
      },
    })
    expect(JSON.stringify(await admin.call(api.clusters.list))).not.toContain(sim.apiToken.secret)
    const [row] = await stored()
    expect(JSON.stringify(row)).not.toContain(sim.apiToken.secret)
    const seen = await t.db.select().from(nodes).where(eq(nodes.clusterId, made.id))
    expect(seen.map(({ name, status }) => [name, status])).toEqual([
      ['pve1', 'online'],
      ['pve2', 'online'],
    ])
    expect(await t.db.select().from(instances)).toHaveLength(12)
    const logged = await t.db.select().from(auditLog)
    expect(logged.map(({ action }) => action)).toContain('cluster.create')
    expect(JSON.stringify(logged)).not.toContain(sim.apiToken.secret)
  })

  test('with a certificate the system vouches for needs no fingerprint, and pins none', async () => {
    const own = getCACertificates('default')
    const [first] = await stored()
    await admin.call(api.clusters.remove, { params: { id: first?.id ?? 0 } })
    setDefaultCACertificates([...own, sim.caPem])
    const { tlsFingerprint: _, ...body } = clusterBody(sim)
    const made = await admin.call(api.clusters.create, { body })
    expect(made).toMatchObject({ tlsFingerprint: null, status: 'connected' })
    setDefaultCACertificates(own)
  })

  test('a second time is a conflict', async () => {
    const answer = await admin.attempt(api.clusters.create, { body: clusterBody(sim) })
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(await stored()).toHaveLength(1)
  })
})

test('a loopback address is refused in production, in every spelling', async () => {
  const t = await testApp({ env: { DEMO: '0' } })
  const admin = t.as(await t.make.admin())
  const hosts = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '::1', '::ffff:127.0.0.1', '0.0.0.0']
  hosts.push('localhost', '::ffff:a9fe:a9fe', 'fe80::1', '100.100.100.200', '[::1]', '0177.0.0.1')
  for (const host of hosts) {
    const body = { name: 'x', host, port: 8006, username: 'root@pam', password: 'x' }
    const answer = await admin.attempt(api.clusters.create, { body })
    expect([answer.status, answer.body.code], host).toEqual([400, 'INVALID_INPUT'])
  }
})
