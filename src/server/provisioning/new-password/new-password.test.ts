import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobSteps } from '../../db/schema/work.ts'
import type { Person } from '../../testing/test-app.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, twice } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('a new password on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)
  const admin = await t.make.admin()

  const ask = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.servers.password, { params: { id } })
  const begin = async (server: SoldServer) => {
    const { status, body } = await ask(server.user, server)
    expect(status).toBe(202)
    return body.jobId
  }
  const power = (server: SoldServer, act: 'start' | 'stop') =>
    t.as(server.user).call(api.instances[act], { params: { id: server.id } })
  const activity = async (who: Person, { id }: SoldServer) =>
    (await t.as(who).call(api.servers.activity, { params: { id } })).map(({ action }) => action)
  const letAgent = (guestAgent: boolean) =>
    t.db
      .update(clusters)
      .set({ settings: { ...t.cluster.settings, guestAgent } })
      .where(eq(clusters.id, t.cluster.id))
  const inGuest = (server: SoldServer) => {
    const { booted, passwords } = our.vmOf(server).guest
    return passwords[booted.user] ?? booted.password
  }
  const restarts = ({ vmId }: SoldServer) =>
    [...t.sim.state.tasks.values()].filter(
      ({ type, id, exitstatus }) =>
        type === 'qmreboot' && id === String(vmId) && exitstatus === 'OK',
    ).length
  /** What the guest has is what its owner is shown; nothing of it stays behind. */
  const expectOneLogin = async (server: SoldServer) => {
    const { stored, given } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(inGuest(server)).toBe(stored.password)
    const outputs = await t.db.select({ output: jobSteps.output }).from(jobSteps)
    expect(JSON.stringify(outputs)).not.toContain('"password"')
    return stored.password
  }

  test('is taken by a restart, and shown from then on', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    const jobId = await begin(server)
    expect((await our.row(server)).status).toBe('updating')
    expect((await our.logins(server)).stored).toEqual(before.stored)
    await hand.run(jobId)
    const password = await expectOneLogin(server)
    expect(password).not.toBe(before.stored.password)
    expect(restarts(server)).toBe(1)
    expect((await our.row(server)).status).toBe('running')
    const shown = await t.as(server.user).call(api.instances.reveal, { params: { id: server.id } })
    expect(shown).toMatchObject({ password })
    expect((await activity(server.user, server)).slice(1, 3)).toEqual([
      'instance.password-set',
      'instance.password',
    ])
  })

  test('of a server that is off is taken at its next start', async () => {
    const server = await our.server()
    await power(server, 'stop')
    await hand.run(await begin(server))
    expect((await our.row(server)).status).toBe('stopped')
    expect(our.vmOf(server).qmp).toBe('stopped')
    await power(server, 'start')
    await expectOneLogin(server)
    expect(restarts(server)).toBe(0)
  })

  test('is set at once by the agent, where the operator opted in', async () => {
    const server = await our.server()
    await letAgent(true)
    const before = await our.logins(server)
    await hand.run(await begin(server))
    await letAgent(false)
    expect(await expectOneLogin(server)).not.toBe(before.stored.password)
    expect(restarts(server)).toBe(0)
  })

  test('comes by a restart where the agent does not answer', async () => {
    const server = await our.server()
    await letAgent(true)
    our.vmOf(server).guest.agent = 'none'
    await hand.run(await begin(server))
    await letAgent(false)
    await expectOneLogin(server)
    expect(restarts(server)).toBe(1)
  })

  test('is not set in a guest that ignores the restart: the old one stays', async () => {
    const server = await our.server()
    our.vmOf(server).guest.hangs = true
    const before = await our.logins(server)
    const jobId = await begin(server)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: {
        publicMessage:
          'The system did not react to the restart. Stop the server, then try again. The old password is still valid.',
      },
    })
    expect((await our.logins(server)).stored).toEqual(before.stored)
    expect((await our.row(server)).status).toBe('running')
    await power(server, 'stop')
    our.vmOf(server).guest.hangs = false
    await power(server, 'start')
    expect(await expectOneLogin(server)).toBe(before.stored.password)
  })

  test('with every step run twice is one password', async () => {
    const server = await our.server()
    await hand.run(await begin(server), twice)
    await expectOneLogin(server)
  })

  test('whose restart was done when the process died does not restart the guest again', async () => {
    const server = await our.server()
    const vm = our.vmOf(server)
    vm.startedAt -= 3 * HOUR_MS
    await hand.run(await begin(server), twice)
    await expectOneLogin(server)
    expect(restarts(server)).toBe(1)
  })

  test.each(['remember', 'configure', 'apply', 'commit'])(
    'is given up if the server is suspended before %s',
    async (step) => {
      const server = await our.server()
      const { stored } = await our.logins(server)
      const params = { id: server.id }
      const suspend = () =>
        shop.admin.call(api.instances.suspend, { params, body: { reason: 'Spam' } })
      const jobId = await begin(server)
      await hand.run(jobId, asBegins(step, suspend))
      expect((await shop.jobRow(jobId)).state).toBe('failed')
      for (const { id } of await hand.waiting()) await hand.runToEnd(id)
      expect(our.vmOf(server).qmp).toBe('stopped')
      await shop.admin.call(api.instances.resume, { params })
      for (const { id } of await hand.waiting()) await hand.runToEnd(id)
      expect(our.vmOf(server).qmp).toBe('running')
      expect(await expectOneLogin(server)).toBe(stored.password)
    },
  )

  test('while it is set, nothing else acts on the server', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const params = { id: server.id }
    const owner = t.as(server.user)
    const acts = await Promise.all([
      ask(server.user, server),
      our.ask(server.user, server),
      owner.attempt(api.instances.stop, { params }),
      owner.attempt(api.servers.change, { params, body: { hostname: 'other' } }),
    ])
    expect(acts.map(({ status }) => status)).toEqual([409, 409, 409, 409])
    await t.as(admin).call(api.sync.instances)
    expect((await our.row(server)).status).toBe('updating')
    await hand.run(jobId)
    await expectOneLogin(server)
  })

  test('twice at once begins one', async () => {
    const server = await our.server()
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(server.user, server)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409])
    for (const { id } of await hand.waiting()) await hand.run(id)
    await expectOneLogin(server)
  })

  test('is asked for by its owner or an operator, and by nobody else', async () => {
    const server = await our.server()
    expect((await ask(await t.make.client(), server)).status).toBe(404)
    const start = { params: { userId: server.user.id } }
    const { cookie } = await t.as(admin).attempt(api.simulation.start, start)
    const params = { id: server.id }
    expect(await t.with(cookie ?? '').attempt(api.servers.password, { params })).toMatchObject({
      status: 403,
      body: { code: 'NOT_WHILE_SIMULATING' },
    })
    expect(await hand.waiting()).toEqual([])
    const { status, body } = await ask(admin, server)
    expect(status).toBe(202)
    await hand.run(body.jobId)
    await expectOneLogin(server)
  })

  test('is refused for a server that takes keys only, is missing or was not made here', async () => {
    const server = await our.server()
    const set = (values: Partial<typeof instances.$inferInsert>) =>
      t.db.update(instances).set(values).where(eq(instances.id, server.id))
    const refusal = async () => {
      const { status, body } = await ask(server.user, server)
      expect(status).toBe(409)
      return body.message
    }
    await set({ missingSince: clock.now() })
    expect(await refusal()).toBe('The cluster no longer has this VM.')
    await set({ missingSince: null })
    const { marker } = await our.row(server)
    await set({ marker: null })
    expect(await refusal()).toBe('This server was not made here: change its password inside it.')
    await set({ marker })
    const { id } = await our.key(server.user, PUBLIC_KEYS.ed25519.publicKey)
    await hand.run((await our.ask(server.user, server, { sshKeyIds: [id] })).body.jobId)
    expect(await refusal()).toBe('This server has no password: it takes SSH keys only.')
    expect(await hand.waiting()).toEqual([])
  })
})
