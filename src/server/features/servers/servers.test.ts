import { desc, eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { sellServers } from '../../provisioning/testing/servers.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { createSessions } from '../../sessions/sessions.ts'
import { askedQueries } from '../../testing/asked-queries.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { serversService } from './servers.service.ts'

describe.each(EACH_DATABASE)('the page of a server on %s', async (database) => {
  const t = await testApp({
    database,
    sim: true,
    withJobs: true,
    env: { PAYMENT_PROVIDER: 'manual' },
  })
  const shop = await openShop(t)
  const { server } = sellServers(t, shop)
  const bought = await server()
  const owner = t.as(bought.user)
  const params = { id: bought.id }
  const get = () => owner.call(api.servers.get, { params })
  const rename = (body: { label?: string; hostname?: string; notes?: string }) =>
    owner.attempt(api.servers.change, { params, body })
  const nameInCluster = () => t.sim.state.vms.get(bought.vmId)?.config.name
  const lastJob = async () => {
    const [job] = await t.db
      .select()
      .from(jobs)
      .where(eq(jobs.subject, `instance:${bought.id}`))
      .orderBy(desc(jobs.createdAt))
      .limit(1)
    return job
  }
  const renamed = async () => (await shop.ended((await lastJob())?.id)).state

  test('shows its owner everything about it, without a secret and without the cluster', async () => {
    t.sim.faults.add({ kind: 'black-hole' })
    const shown = await get()
    t.sim.faults.clear()
    expect(shown).toMatchObject({
      id: bought.id,
      label: bought.token.name,
      hostname: null,
      packageName: bought.token.name,
      size: { cpu: 2, ramGb: 2, diskGb: 20, diskKind: 'SSD' },
      osType: 'Debian 12',
      addresses: [bought.token.ipAddress],
      username: 'root',
      hasPassword: true,
      term: 'assigned',
      durationDays: 30,
      monthlyPrice: '5.00',
      paidUntil: expect.any(String),
      keptUntil: null,
      suspended: null,
      jobs: [],
      sshKeys: [],
      operator: null,
      can: { stop: { allowed: true, why: null }, start: { allowed: false } },
    })
    const [row] = await t.db.select().from(tokens).where(eq(tokens.id, bought.token.id))
    expect(JSON.stringify(shown)).not.toContain(row?.password)
    expect(JSON.stringify(shown)).not.toContain(String(t.cluster.uid))
  })

  test('shows operators where it runs and whose it is', async () => {
    const { operator } = await shop.admin.call(api.servers.get, { params })
    expect(operator).toEqual({
      vmId: bought.vmId,
      cluster: { id: t.cluster.id, name: t.cluster.name },
      node: 'pve1',
      client: { id: bought.user.id, name: bought.user.username },
      orderId: bought.order.id,
      notes: null,
    })
  })

  test('is read by one query, together with the session of the caller', async () => {
    const { token } = await t.sessions.start(t.db, bought.user, 'Vitest')
    const asked = askedQueries(t.db)
    const deps = { ...t.deps, sessions: createSessions(t.deps) }
    const { read, show } = serversService(deps as unknown as Parameters<typeof serversService>[0])
    const queries = await asked.of(async () => {
      const known = await read.withSession(token, params)
      expect(known && show(known.actor, known.row)).toMatchObject({ id: bought.id })
    })
    const byKey = await asked.of(() => read.alone(params))
    asked.restore()
    const ofServer = expect.stringContaining('"server_traffic"')
    expect([queries, byKey]).toEqual([[ofServer], [ofServer]])
    expect(queries[0]).toContain('"sessions"')
  })

  test('of another client is not found, like one that does not exist', async () => {
    const stranger = t.as(await t.make.client())
    const absent = await stranger.attempt(api.servers.get, { params: { id: 999_999 } })
    for (const route of [api.servers.get, api.servers.activity] as const) {
      const answer = await stranger.attempt(route, { params })
      expect([answer.status, answer.body]).toEqual([404, absent.body])
    }
    const answer = await stranger.attempt(api.servers.change, { params, body: { label: 'mine' } })
    expect([answer.status, answer.body]).toEqual([404, absent.body])
    expect((await get()).label).toBe(bought.token.name)
  })

  test('takes a label and a hostname, and the VM is named after it', async () => {
    expect(nameInCluster()).toBe(`shop-2-cpu-2-gb-ram-20-gb-ssd-${bought.vmId}`)
    const answer = await rename({ label: 'Mail', hostname: 'MX-1' })
    expect(answer.body).toMatchObject({ label: 'Mail', hostname: 'mx-1' })
    expect(await renamed()).toBe('done')
    expect(nameInCluster()).toBe(`mx-1.vm-${bought.vmId}`)
    await shop.admin.call(api.sync.instances)
    expect(await get()).toMatchObject({ label: 'Mail', name: bought.token.name })
    const [mine] = await owner.call(api.client.instances)
    expect(mine).toMatchObject({ label: 'Mail', name: bought.token.name })
    expect(await owner.call(api.client.tokens)).toMatchObject([{ label: 'Mail' }])
  })

  test.each(['-a', 'a.b', 'under_score', '10', '0x1f', 'no', '2026-11-19', 'x'.repeat(64)])(
    'refuses the hostname %s with a sentence',
    async (hostname) => {
      const answer = await rename({ hostname })
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('A hostname has 1 to 63 letters') },
      })
    },
  )

  test('refuses a hostname that another server of the account has or gets', async () => {
    const other = await server()
    await t.db
      .update(instances)
      .set({ ownerId: bought.user.id, hostname: 'db-1' })
      .where(eq(instances.id, other.id))
    const taken = await rename({ hostname: 'db-1' })
    expect(taken).toMatchObject({
      status: 409,
      body: { message: 'Another server of this account has the hostname db-1.' },
    })
    await t.db.update(instances).set({ ownerId: other.user.id }).where(eq(instances.id, other.id))
    expect((await rename({ hostname: 'db-1' })).status).toBe(200)
    expect(await renamed()).toBe('done')
  })

  test('keeps the hostname of a cluster that is away, and names the VM when it is back', async () => {
    t.sim.faults.add({ kind: '596', path: '/config' })
    expect((await rename({ hostname: 'late' })).body).toMatchObject({ hostname: 'late' })
    await vi.waitFor(async () => expect((await lastJob())?.state).toBe('waiting'), 20_000)
    t.sim.faults.clear()
    expect(await renamed()).toBe('done')
    expect(nameInCluster()).toBe(`late.vm-${bought.vmId}`)
  })

  test('an empty hostname clears it', async () => {
    expect((await rename({ hostname: '' })).body).toMatchObject({ hostname: null })
    expect(await renamed()).toBe('done')
    expect(nameInCluster()).toBe(`shop-2-cpu-2-gb-ram-20-gb-ssd-${bought.vmId}`)
  })

  test('notes are for operators, who alone read and write them', async () => {
    const refused = await rename({ notes: 'mine' })
    expect(refused).toMatchObject({ status: 403 })
    const body = { notes: 'Pays late' }
    await shop.admin.call(api.servers.change, { params, body })
    expect(JSON.stringify(await get())).not.toContain('Pays late')
    expect(JSON.stringify(await owner.call(api.servers.activity, { params }))).not.toContain(
      'Pays late',
    )
    const { operator } = await shop.admin.call(api.servers.get, { params })
    expect(operator?.notes).toBe('Pays late')
  })

  test('nothing to change changes nothing and is not recorded', async () => {
    const before = await t.db.$count(auditLog)
    expect((await rename({})).status).toBe(200)
    expect(await t.db.$count(auditLog)).toBe(before)
  })

  test('says what may be done of a VM that was not made here', async () => {
    const client = await t.make.client()
    const { instance } = await t.make.owned(t.cluster, 101, client)
    const theirs = { params: { id: instance.id } }
    const shown = await t.as(client).call(api.servers.get, theirs)
    expect(shown.can.hostname).toMatchObject({ allowed: false })
    const body = { hostname: 'other' }
    const answer = await t.as(client).attempt(api.servers.change, { ...theirs, body })
    expect(answer).toMatchObject({ status: 409, body: { message: shown.can.hostname.why } })
    expect(JSON.stringify(shown)).not.toContain(VM_PASSWORD)
  })

  test('names the keys it was made with as its owner does', async () => {
    const fingerprint = 'SHA256:abc'
    const publicKey = 'ssh-ed25519 AAAA'
    await t.db.insert(serverKeys).values([
      { instanceId: bought.id, fingerprint, publicKey },
      { instanceId: bought.id, fingerprint: 'SHA256:gone', publicKey },
    ])
    const key = { type: 'ssh-ed25519', publicKey, fingerprint }
    const stranger = await t.make.client()
    await t.db.insert(sshKeys).values([
      { userId: bought.user.id, name: 'laptop', ...key },
      { userId: stranger.id, name: 'stranger', ...key },
    ])
    expect((await get()).sshKeys).toEqual([
      { fingerprint, name: 'laptop' },
      { fingerprint: 'SHA256:gone', name: null },
    ])
  })

  test('the activity tells what anyone did, and by whom', async () => {
    await owner.call(api.instances.reveal, { params })
    await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Too loud' } })
    const read = () => owner.call(api.servers.activity, { params })
    const [suspended, revealed, ...rest] = await read()
    expect(suspended).toMatchObject({
      action: 'instance.suspend',
      by: 'operator',
      details: { reason: 'Too loud' },
    })
    expect(revealed).toMatchObject({ action: 'instance.reveal', by: 'you', details: {} })
    const actions = rest.map(({ action }) => action)
    expect(actions).toContain('instance.rename')
    expect(actions).toContain('token.assign')
    expect(actions).toContain('token.purchase')
    const page = await owner.call(api.servers.activity, {
      params,
      query: { limit: 2, before: suspended?.id ?? 0 },
    })
    expect(page.map(({ id }) => id)).toEqual([revealed?.id, rest[0]?.id])
    const told = await shop.admin.call(api.servers.activity, { params })
    expect(told[1]).toMatchObject({ action: 'instance.reveal', by: 'client' })
  })

  test('the configuration in Proxmox is for operators, without the password', async () => {
    expect((await owner.attempt(api.servers.proxmoxConfig, { params })).status).toBe(403)
    const lines = await shop.admin.call(api.servers.proxmoxConfig, { params })
    expect(lines).toContainEqual({ key: 'ciuser', value: 'root' })
    expect(lines).toContainEqual({ key: 'cipassword', value: '(hidden)' })
  })

  test('before delivery nothing leads to the server', async () => {
    await t.db.update(tokens).set({ status: 'pending' }).where(eq(tokens.id, bought.token.id))
    const shown = await get()
    expect(shown).toMatchObject({ addresses: [], username: null, hasPassword: false })
    expect(shown.can.reveal.allowed).toBe(false)
    await t.db.update(tokens).set({ status: 'assigned' }).where(eq(tokens.id, bought.token.id))
  })
})
