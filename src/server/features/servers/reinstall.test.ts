import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { templates } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { instances } from '../../db/schema/stock.ts'
import { openReinstalls, type SoldServer } from '../../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

describe.each(BOTH_DATABASES)('asking for a reinstallation on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)
  const admin = await t.make.admin()

  const preview = ({ id, user }: SoldServer) =>
    t.as(user).call(api.servers.reinstallPreview, { params: { id } })
  const isUntouched = async (server: SoldServer) => {
    expect((await our.row(server)).status).toBe('running')
    expect(await hand.waiting()).toEqual([])
  }

  test('shows the systems that its node has templates of', async () => {
    const server = await our.server()
    expect(await preview(server)).toEqual({
      systems: ['Debian 12', 'Ubuntu 22.04', 'Windows Server 2025'],
      osType: 'Debian 12',
      sshKeyIds: [],
      confirm: String(server.vmId),
      userData: { refusal: null },
      snapshot: { refusal: null, days: 7 },
    })
  })

  test('shows those of the package, where it was sold as one', async () => {
    const server = await our.server()
    const osOptions = ['Rocky Linux 9', 'Solaris 11', 'Debian 12']
    const plan = { id: 'small', name: 'Small', cpu: '1', ram: '1', storage: '1', priceCents: 1 }
    await t.db.insert(packages).values({ ...plan, osOptions })
    await t.db.update(orders).set({ planId: 'small' }).where(eq(orders.tokenId, server.tokenId))
    expect((await preview(server)).systems).toEqual(['Rocky Linux 9', 'Debian 12'])
    const refused = await our.ask(server.user, server)
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: 'Ubuntu 22.04 is not prepared for this server. There is Rocky Linux 9, Debian 12.',
      },
    })
    await isUntouched(server)
  })

  test('says so where no template is left', async () => {
    const server = await our.server()
    const missing = (missingSince: Date | null) => t.db.update(templates).set({ missingSince })
    await missing(clock.now())
    expect((await preview(server)).systems).toEqual([])
    const refused = await our.ask(server.user, server)
    await missing(null)
    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'No system is prepared for this server. Ask the operator.' },
    })
    await t.db.update(templates).set({ hasCloudInit: false }).where(eq(templates.templateId, 9000))
    expect((await preview(server)).systems).not.toContain('Ubuntu 22.04')
    await t.db.update(templates).set({ hasCloudInit: true }).where(eq(templates.templateId, 9000))
    await isUntouched(server)
  })

  test('of another client is not found, like one that does not exist', async () => {
    const server = await our.server()
    const stranger = await t.make.client()
    expect(await our.ask(stranger, server)).toMatchObject({ status: 404 })
    const { id } = server
    const look = await t.as(stranger).attempt(api.servers.reinstallPreview, { params: { id } })
    expect(look.status).toBe(404)
    await isUntouched(server)
  })

  test('is done by an operator, and named as theirs', async () => {
    const server = await our.server()
    const { status, body } = await our.ask(admin, server, { confirm: String(server.vmId) })
    expect(status).toBe(202)
    await hand.run(body.jobId)
    const { id } = server
    const activity = await t.as(server.user).call(api.servers.activity, { params: { id } })
    expect(activity.slice(0, 2)).toMatchObject([
      { action: 'instance.reinstalled', by: 'system', details: { osType: 'Ubuntu 22.04' } },
      { action: 'instance.reinstall', by: 'operator', details: { osType: 'Ubuntu 22.04' } },
    ])
    const [mine] = await t.as(server.user).call(api.client.instances)
    expect(mine).toMatchObject({ status: 'running' })
  })

  test('is refused to an operator who simulates its owner', async () => {
    const server = await our.server()
    const start = { params: { userId: server.user.id } }
    const { cookie } = await t.as(admin).attempt(api.simulation.start, start)
    const body = { osType: 'Ubuntu 22.04', confirm: server.name }
    const params = { id: server.id }
    const refused = await t.with(cookie ?? '').attempt(api.servers.reinstall, { params, body })
    expect(refused).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
    await isUntouched(server)
  })

  test('needs its label or its VM id, typed', async () => {
    const server = await our.server()
    const label = 'Mail of the house'
    await t.db.update(instances).set({ label }).where(eq(instances.id, server.id))
    for (const confirm of ['yes', 'mail of the house', '']) {
      expect((await our.ask(server.user, server, { confirm })).status).toBe(400)
    }
    await isUntouched(server)
    expect((await preview(server)).confirm).toBe(label)
    const { status, body } = await our.ask(server.user, server, { confirm: ` ${label} ` })
    expect(status).toBe(202)
    await hand.run(body.jobId)
  })

  test('takes keys of its owner’s ring only, and none for Windows', async () => {
    const server = await our.server()
    const stranger = await t.make.client()
    const { ed25519, rsa } = PUBLIC_KEYS
    const theirs = await our.key(stranger, ed25519.publicKey)
    const own = await our.key(server.user, rsa.publicKey)
    for (const sshKeyIds of [[theirs.id], [own.id, theirs.id], [999_999]]) {
      expect(await our.ask(server.user, server, { sshKeyIds })).toMatchObject({
        status: 400,
        body: { message: 'A key you chose is no longer among your SSH keys. Choose again.' },
      })
    }
    const windows = { osType: 'Windows Server 2025', sshKeyIds: [own.id] }
    expect(await our.ask(server.user, server, windows)).toMatchObject({ status: 400 })
    await isUntouched(server)
    const { body } = await our.ask(server.user, server, { sshKeyIds: [own.id] })
    await hand.run(body.jobId)
    expect((await preview(server)).sshKeyIds).toEqual([own.id])
  })

  test('twice at once begins one', async () => {
    const server = await our.server()
    const answers = await Promise.all(Array.from({ length: 4 }, () => our.ask(server.user, server)))
    const taken = answers.filter(({ status }) => status === 202)
    expect(taken).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expect(answer).toMatchObject({
        status: 409,
        body: { message: 'The server is being reinstalled.' },
      })
    }
    expect(await hand.waiting()).toHaveLength(1)
    await hand.run(taken[0]?.body.jobId ?? '')
  })

  test('waits until the disk of the last system is removed', async () => {
    const server = await our.server()
    const { body } = await our.ask(server.user, server)
    const drop = new Error('killed')
    const killed = hand.run(body.jobId, (steps) =>
      steps.map((step) =>
        step.name === 'drop' ? { ...step, run: () => Promise.reject(drop) } : step,
      ),
    )
    await expect(killed).rejects.toThrow()
    expect((await our.row(server)).status).toBe('running')
    expect(await our.ask(server.user, server)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is still being removed') },
    })
    await hand.run(body.jobId)
    expect(our.disks(server)).toHaveLength(1)
    const next = await our.ask(server.user, server)
    expect(next.status).toBe(202)
    await hand.run(next.body.jobId)
  })

  test('while it is reinstalled, nothing else acts on it', async () => {
    const server = await our.server()
    const { body } = await our.ask(server.user, server)
    const params = { id: server.id }
    const owner = t.as(server.user)
    const acts = await Promise.all([
      owner.attempt(api.instances.stop, { params }),
      owner.attempt(api.instances.start, { params }),
      owner.attempt(api.instances.restart, { params }),
      owner.attempt(api.servers.change, { params, body: { hostname: 'other' } }),
    ])
    expect(acts.map(({ status }) => status)).toEqual([409, 409, 409, 409])
    // A poll of the cluster leaves it alone, too.
    await t.as(admin).call(api.sync.instances)
    expect((await our.row(server)).status).toBe('reinstalling')
    await hand.run(body.jobId)
    expect(await shop.jobRow(body.jobId)).toMatchObject({ state: 'done' })
  })

  test('is refused for a server that expired, is suspended, missing or not made here', async () => {
    const server = await our.server()
    const setInstance = (values: Partial<typeof instances.$inferInsert>) =>
      t.db.update(instances).set(values).where(eq(instances.id, server.id))
    const refusal = async () => (await our.ask(server.user, server)).body.message
    const suspension = { suspendReason: 'Spam', suspendCause: 'operator' } as const
    await setInstance({ ...suspension, suspendedAt: clock.now() })
    expect(await refusal()).toBe('This server is suspended: Spam')
    await setInstance({ suspendedAt: null, suspendReason: null, suspendCause: null })
    await setInstance({ missingSince: clock.now() })
    expect(await refusal()).toBe('The cluster no longer has this VM.')
    const { marker } = await our.row(server)
    await setInstance({ missingSince: null, marker: null })
    expect(await refusal()).toContain('was not made here')
    await setInstance({ marker })
    clock.advance(31 * DAY_MS)
    await hand.sweep()
    expect(await refusal()).toBe('This server has expired. Renew it to reinstall it.')
  })
})
