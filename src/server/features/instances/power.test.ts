import { and, eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { PowerAct } from '#shared/rules/instance/instance-power.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { type SimApp, testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const rowOf = async (t: SimApp, vmId: number) => {
  const [row] = await t.db
    .select()
    .from(instances)
    .where(and(eq(instances.clusterId, t.cluster.id), eq(instances.vmId, vmId)))
  if (!row) throw new Error(`no row for VM ${vmId}`)
  return row
}

describe('power', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const press = async (vmId: number, act: PowerAct) => {
    const { id } = await rowOf(t, vmId)
    return await admin.attempt(api.instances[act], { params: { id } })
  }

  test.each([
    ['start', 103, 'running', 'Instance started successfully'],
    ['restart', 103, 'running', 'Instance restarted successfully'],
    ['shutdown', 103, 'stopped', 'Instance shutdown successfully'],
    ['stop', 100, 'stopped', 'Instance stopped successfully'],
  ] as const)('%s', async (act, vmId, status, message) => {
    const answer = await press(vmId, act)
    expect(answer).toMatchObject({ status: 200, body: { status, message } })
    expect((await rowOf(t, vmId)).status).toBe(status)
    const { id } = await rowOf(t, vmId)
    expect(await admin.call(api.instances.status, { params: { id } })).toMatchObject({ status })
    const logged = await t.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.target, `instance:${id}`))
    expect(logged.at(-1)?.action).toBe(`instance.${act}`)
  })

  test.each([
    [101, 'start', 409, 'INVALID_STATE', /already running/],
    [103, 'shutdown', 409, 'INVALID_STATE', /already stopped/],
    [104, 'start', 409, 'INVALID_STATE', /paused: stop it first/],
    [106, 'stop', 409, 'LOCKED', /Another action/],
  ] as const)('VM %i × %s is refused with the reason', async (vmId, act, status, code, message) => {
    const answer = await press(vmId, act)
    expect(answer).toMatchObject({
      status,
      body: { code, message: expect.stringMatching(message) },
    })
  })

  test('asks the VM itself before refusing by a list that may lag behind', async () => {
    t.sim.state.crashVm(101)
    expect((await press(101, 'start')).status).toBe(200)
  })

  test('of a VM that is gone says so', async () => {
    await t.db.update(instances).set({ missingSince: new Date() }).where(eq(instances.vmId, 110))
    expect(await press(110, 'start')).toMatchObject({ status: 409, body: { code: 'VM_MISSING' } })
  })

  test('releases the VM with the reason if it fails', async () => {
    const message = "can't lock file '/var/lock/qemu-server/lock-103.conf' - got timeout"
    t.sim.faults.add({ kind: 'task-error', path: 'status/start', count: 1, message })
    const answer = await press(103, 'start')
    expect(answer).toMatchObject({ status: 409, body: { code: 'LOCKED' } })
    expect((await rowOf(t, 103)).status).toBe('stopped')
    expect((await press(103, 'start')).status).toBe(200)
    expect((await press(103, 'stop')).status).toBe(200)
  })

  test('shows a failure to later readers, until the next action', async () => {
    const { id } = await rowOf(t, 103)
    const look = (who: Parameters<typeof t.as>[0]) =>
      t.as(who).call(api.instances.status, { params: { id } })
    const admin = await t.make.admin()
    const owner = await t.make.client()
    await t.db.update(instances).set({ ownerId: owner.id }).where(eq(instances.id, id))
    expect((await press(103, 'start')).status).toBe(200)
    const message = "storage 'secret-pool' is not online"
    t.sim.faults.add({ kind: 'task-error', path: 'status/reboot', count: 1, message })
    expect((await press(103, 'restart')).status).toBe(422)
    // It runs, as it would after a successful restart.
    expect(await look(admin)).toMatchObject({
      status: 'running',
      failure: expect.stringContaining(message),
    })
    const words = (await look(owner)).failure
    expect(words).toContain('The operator has been told.')
    expect(words).not.toContain('secret-pool')
    expect((await press(103, 'stop')).status).toBe(200)
    expect(await look(owner)).toMatchObject({ status: 'stopped', failure: null })
    await t.db.update(instances).set({ ownerId: null }).where(eq(instances.id, id))
  })

  test('of an instance that is being made or removed is locked', async () => {
    for (const status of ['creating', 'deleting']) {
      await t.db.update(instances).set({ status }).where(eq(instances.vmId, 103))
      expect(await press(103, 'start')).toMatchObject({ status: 409, body: { code: 'LOCKED' } })
    }
    await t.db.update(instances).set({ status: 'stopped' }).where(eq(instances.vmId, 103))
  })
})

describe.each(EACH_DATABASE)('a slow action on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const two = await testApp({ on: t.database })
  await two.deps.links.start()
  await two.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  const person = await t.make.admin()
  const { id } = await rowOf(t, 103)
  const params = { id }

  test('is answered soon, is locked meanwhile in every process, and ends when its request is given up', async () => {
    t.sim.faults.add({ kind: 'black-hole', path: 'status/start' })
    const told: unknown[] = []
    t.deps.events.subscribe(['admins'], ({ body }) => void told.push(body))
    const answer = await t.as(person).attempt(api.instances.start, { params })
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'starting', message: 'The instance is starting.' },
    })
    for (const app of [t, two]) {
      const admin = app.as(person)
      expect(await admin.call(api.instances.status, { params })).toMatchObject({
        status: 'starting',
      })
      const second = await admin.attempt(api.instances.stop, { params })
      expect(second).toMatchObject({ status: 409, body: { code: 'LOCKED' } })
    }
    t.sim.faults.clear()
    const ended = { type: 'job', job: { kind: 'power', title: 'Start staging', state: 'failed' } }
    await vi.waitFor(() => expect(told.at(-1)).toMatchObject(ended), { timeout: 30_000 })
    await t.deps.background.idle()
    expect((await rowOf(t, 103)).status).toBe('stopped')
  })

  test('allows a stop if the guest ignores the shutdown, but not a second shutdown', async () => {
    await t.db.update(instances).set({ status: 'running' }).where(eq(instances.vmId, 100))
    const vm = t.sim.state.vms.get(100)
    if (!vm) throw new Error('no VM 100')
    vm.guest.ignoresAcpi = true
    vm.guest.agent = 'none'
    const { id: deaf } = await rowOf(t, 100)
    const press = (app: typeof two, act: PowerAct) =>
      app.as(person).attempt(api.instances[act], { params: { id: deaf } })
    // Indefinitely: the answer of the shutdown is withheld, as a real guest withholds it for
    // minutes.
    t.sim.faults.add({ kind: 'black-hole', path: 'status/shutdown' })
    expect(await press(t, 'shutdown')).toMatchObject({ body: { status: 'stopping' } })
    expect(await press(two, 'shutdown')).toMatchObject({ status: 409, body: { code: 'LOCKED' } })
    expect(await press(two, 'start')).toMatchObject({ status: 409, body: { code: 'LOCKED' } })
    expect(await press(two, 'stop')).toMatchObject({ status: 200, body: { status: 'stopped' } })
    t.sim.faults.clear()
    await t.deps.background.idle()
    expect((await rowOf(t, 100)).status).toBe('stopped')
    vm.guest.ignoresAcpi = false
  })

  test('from two processes at once is carried out by one, and the other is told to wait', async () => {
    await t.db.update(instances).set({ status: 'stopped' }).where(eq(instances.id, id))
    t.sim.state.crashVm(103)
    const pressed = [t, two, t, two].map((app) =>
      app.as(person).attempt(api.instances.start, { params }),
    )
    const answers = await Promise.all(pressed)
    const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body.code))
    expect(codes.filter((code) => code === 'ok').length).toBeGreaterThanOrEqual(1)
    expect(codes.every((code) => ['ok', 'LOCKED', 'INVALID_STATE'].includes(code))).toBe(true)
    const sent = t.sim.requests.filter(({ path }) => path.endsWith('/103/status/start'))
    expect(sent.length).toBe(codes.filter((code) => code === 'ok').length + 1)
  })

  test('of a process that died can be taken over after a while', async () => {
    const dead = { status: 'stopping', lastUpdated: new Date(Date.now() - 6 * 60_000) }
    await t.db.update(instances).set(dead).where(eq(instances.id, id))
    const answer = await t.as(person).attempt(api.instances.stop, { params })
    expect(answer.body).toMatchObject({ status: 'stopped' })
  })
})

describe("a client's own instance", async () => {
  const t = await testApp({ sim: true })
  const alice = await t.make.client()
  const bob = await t.make.client()
  const { instance, token } = await t.make.owned(t.cluster, 100, alice)
  await t.make.owned(t.cluster, 101, bob)
  const params = { id: instance.id }

  test('can be started and stopped by its owner', async () => {
    const answer = await t.as(alice).call(api.instances.stop, { params })
    expect(answer).toMatchObject({ status: 'stopped' })
    expect((await t.as(alice).call(api.instances.start, { params })).status).toBe('running')
    const metrics = await t.as(alice).call(api.instances.metrics, { params })
    expect(metrics.length).toBeGreaterThan(10)
    expect(metrics.some(({ cpuUsage }) => cpuUsage !== null)).toBe(true)
  })

  test('is the same as absent for any other client, in every call', async () => {
    const { start, stop, shutdown, restart, status, metrics } = api.instances
    const before = await rowOf(t, 100)
    for (const route of [start, stop, shutdown, restart, status, metrics]) {
      const theirs = await t.as(bob).attempt(route, { params })
      const absent = await t.as(bob).attempt(route, { params: { id: 2_000_000_000 } })
      expect(theirs.status, route.path).toBe(404)
      expect(theirs.body).toEqual(absent.body)
      expect(JSON.stringify(theirs.headers['content-length'])).toBe(
        JSON.stringify(absent.headers['content-length']),
      )
    }
    expect(await rowOf(t, 100)).toEqual(before)
  })

  test('cannot be started once it has expired, but can be stopped', async () => {
    await t.db.update(tokens).set({ status: 'expired' }).where(eq(tokens.id, token.id))
    const stopped = await t.as(alice).attempt(api.instances.stop, { params })
    expect(stopped.status).toBe(200)
    const answer = await t.as(alice).attempt(api.instances.start, { params })
    expect(answer).toMatchObject({ status: 409, body: { message: expect.stringMatching(/Renew/) } })
    await t.db.update(tokens).set({ status: 'assigned' }).where(eq(tokens.id, token.id))
  })

  test('tells its owner nothing of the cluster if that fails', async () => {
    t.sim.faults.add({ kind: '403', path: 'status/start', method: 'POST', count: 1 })
    const answer = await t.as(alice).attempt(api.instances.start, { params })
    expect(answer).toMatchObject({ status: 503, body: { code: 'CLUSTER_UNAVAILABLE' } })
    expect(JSON.stringify(answer.body)).not.toMatch(/Sys\.Audit|pve1|127\.0/)
  })
})
