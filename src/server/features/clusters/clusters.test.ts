import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { clusterBody, ZEROS } from '../../testing/cluster-body.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { startTestSim } from '../../testing/with-sim.ts'

describe('a connected cluster', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const params = { id: t.cluster.id }
  const one = async () => (await admin.call(api.clusters.list))[0]
  const settings = async () => {
    const cluster = await one()
    if (!cluster) throw new Error('no cluster')
    return cluster.settings
  }

  test('is edited without connecting, and keeps its password', async () => {
    const before = sim().requests.length
    const changed = await admin.call(api.clusters.update, { params, body: { name: 'Renamed' } })
    expect(changed).toMatchObject({ name: 'Renamed', host: t.sim.host })
    expect(sim().requests.length).toBe(before)
    expect((await row())?.password).toBe(t.cluster.password)
  })

  test.each([
    [{ storage: 'nowhere' }, /no storage nowhere/],
    [{ vmIdRange: { first: 500, last: 100 } }, /must be smaller/],
  ])('refuses settings that cannot work: %j', async (wrong, message) => {
    const body = { settings: { ...(await settings()), ...wrong } }
    const answer = await admin.attempt(api.clusters.update, { params, body })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
  })

  test('accepts new settings', async () => {
    const body = { settings: { ...(await settings()), storage: 'local-lvm' } }
    const changed = await admin.call(api.clusters.update, { params, body })
    expect(changed.settings).toMatchObject({ storage: 'local-lvm' })
  })

  test('never sends its stored password to another address', async () => {
    for (const body of [{ host: 'localhost' }, { port: 9006 }, { username: 'other@pam!x' }]) {
      const answer = await admin.attempt(api.clusters.update, { params, body })
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/Enter the password again/) },
      })
    }
  })

  test('with other credentials is tested first, and wrong ones change nothing', async () => {
    const body = { password: ZEROS }
    expect((await admin.attempt(api.clusters.update, { params, body })).status).toBe(422)
    const taken = { username: t.sim.username, password: t.sim.password }
    const changed = await admin.call(api.clusters.update, { params, body: taken })
    expect(changed).toMatchObject({ username: 'root@pam', status: 'connected' })
    expect(t.deps.keyring.open(place(), (await row())?.password ?? '')).toBe(t.sim.password)
  })

  test('whose certificate changed says so, until the new one is confirmed', async () => {
    await t.sim.rotateCertificate()
    await t.deps.hypervisors.of(params.id).inventory.refresh()
    expect((await one())?.problem).toMatch(/another certificate/)
    const body = { host: t.sim.host }
    const shown = await admin.attempt(api.clusters.update, { params, body })
    expect(shown).toMatchObject({
      status: 422,
      body: { code: 'CERTIFICATE_UNTRUSTED', details: { fingerprint: t.sim.fingerprint } },
    })
    const again = await admin.call(api.clusters.update, {
      params,
      body: { tlsFingerprint: t.sim.fingerprint },
    })
    expect(again).toMatchObject({ status: 'connected', problem: null })
  })

  test('reports no missing permission for credentials that have them all', async () => {
    expect(await admin.call(api.clusters.diagnosis, { params })).toMatchObject({ missing: [] })
  })

  test('is in use while an assigned token depends on it', async () => {
    const client = await t.make.client()
    const { token, instance } = await t.make.owned(t.cluster, 100, client)
    const answer = await admin.attempt(api.clusters.remove, { params })
    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'IN_USE',
        message: expect.stringMatching(/^1 server of a client is on this cluster. End them first/),
      },
    })
    await t.db.execute(
      `update tokens set status = 'cancelled', cancelled_at = now() where id = ${token.id}`,
    )
    expect((await admin.attempt(api.clusters.remove, { params })).body.message).toMatch(
      /is kept for a client whose server has ended/,
    )
    await t.db.update(instances).set({ ownerId: null }).where(eq(instances.id, instance.id))
    await admin.call(api.clusters.remove, { params })
    expect(await admin.call(api.clusters.list)).toEqual([])
    expect(await admin.call(api.clusters.state)).toEqual({ state: 'none' })
    expect(t.sim.state.vms.size).toBe(18)
    expect((await admin.attempt(api.clusters.remove, { params })).status).toBe(404)
  })

  const sim = () => t.sim
  const row = async () => (await t.db.select().from(clusters))[0]
  const place = () => ({ table: 'clusters', column: 'password', row: t.cluster.uid })
})

describe.each(EACH_DATABASE)('two processes on %s', async (database) => {
  const one = await testApp({ database })
  const two = await testApp({ on: one.database })
  const sim = await startTestSim()
  afterAll(() => sim.close())

  test('both connect a cluster that one of them adds, follow its changes and disconnect it', async () => {
    await two.deps.links.start()
    const admin = one.as(await one.make.admin())
    const { id } = await admin.call(api.clusters.create, { body: clusterBody(sim) })
    const there = () => two.deps.hypervisors.all().get(id)
    await vi.waitFor(() => expect(there()?.inventory.view().health).toBe('online'))
    const first = there()
    const body = { username: sim.username, password: sim.password }
    await admin.call(api.clusters.update, { params: { id }, body })
    await vi.waitFor(() => expect(there()).not.toBe(first))
    await vi.waitFor(() => expect(there()?.inventory.view().health).toBe('online'))
    await admin.call(api.clusters.remove, { params: { id } })
    await vi.waitFor(() => expect(there()).toBeUndefined())
  })
})

test('a cluster whose password cannot be decrypted is reported and delays no other', async () => {
  const t = await testApp({ sim: true })
  await t.db.insert(clusters).values({
    uid: 'other-key',
    name: 'Sealed elsewhere',
    host: 'pve.example',
    username: 'root@pam',
    password: 'v1:00000000:a:b:c',
  })
  await t.deps.links.start()
  const listed = await t.as(await t.make.admin()).call(api.clusters.list)
  expect(listed.map(({ status, problem }) => [status, problem])).toEqual([
    ['connected', null],
    ['disconnected', expect.stringMatching(/SECRET_KEY/)],
  ])
})
