import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { isos } from '../../db/schema/infrastructure.ts'
import { serverCds } from '../../db/schema/stock.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, broken, twice } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer } from '../testing/reinstalls.ts'

const DEBIAN = 'local:iso/debian-12.11.0-amd64-netinst.iso'
const RESCUE = 'local:iso/virtio-win-0.1.271.iso'
const STEPS = ['fetch', 'remember', 'stop', 'put-in', 'start', 'once', 'commit']
const OUT_STEPS = ['remember', 'stop', 'eject', 'start', 'commit']

describe.each(BOTH_DATABASES)('CDs on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)
  const clusterId = t.cluster.id
  const [debian] = await t.db
    .insert(isos)
    .values({ clusterId, volume: DEBIAN, name: 'Debian 12' })
    .returning()
  await t.db.insert(isos).values({ clusterId, volume: RESCUE, name: 'Rescue', isRescue: true })
  const isoId = debian?.id ?? 0

  const put = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.cds.insert, { params: { id }, body: { isoId } })
  const rescue = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.cds.rescue, { params: { id } })
  const takeOut = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.cds.takeOut, { params: { id } })
  const endRescue = (who: Person, { id }: SoldServer) =>
    t.as(who).attempt(api.cds.endRescue, { params: { id } })
  const begun = async (asked: Promise<{ status: number; body: { jobId: string } }>) => {
    const answer = await asked
    expect(answer).toMatchObject({ status: 202 })
    return answer.body.jobId
  }
  const inRescue = async () => {
    const server = await our.server()
    await hand.runToEnd(await begun(rescue(server.user, server)))
    return server
  }
  const withCd = async () => {
    const server = await our.server()
    await hand.runToEnd(await begun(put(server.user, server)))
    return server
  }
  const row = async ({ id }: SoldServer) => {
    const [found] = await t.db.select().from(serverCds).where(eq(serverCds.instanceId, id))
    return found
  }
  /** What decides from where the VM starts, without the CD. */
  const boot = (server: SoldServer) => our.vmOf(server).config.boot
  const drive = (server: SoldServer) => our.vmOf(server).config.ide0 ?? ''
  const expectBack = async (server: SoldServer, before: string | undefined) => {
    expect(boot(server)).toBe(before)
    expect(drive(server)).not.toContain(':iso/')
    expect(our.vmOf(server).qmp).toBe('running')
    expect((await our.row(server)).status).toBe('running')
    expect(await row(server)).toBeUndefined()
  }

  test('start a server once: what it boots from next is its disk', async () => {
    const server = await our.server()
    const before = boot(server)
    let order: string | undefined
    const jobId = await begun(put(server.user, server))
    await hand.run(
      jobId,
      asBegins('start', async () => {
        order = boot(server)
        // What it was is in our row before anything is changed.
        expect(await row(server)).toMatchObject({ slot: 'ide0', boot: before, bootedAt: null })
      }),
    )
    expect(order).toBe(`order=ide0;${(before ?? '').replace('order=', '')}`)
    expect(drive(server)).toContain(DEBIAN)
    const { config, pending } = our.vmOf(server)
    expect({ ...config, ...pending }.boot).toBe(before)
    expect((await our.row(server)).status).toBe('running')
    const page = await t.as(server.user).call(api.servers.get, { params: { id: server.id } })
    expect(page.cd).toBe('iso')
    await hand.runToEnd(await begun(takeOut(server.user, server)))
    expect(drive(server)).toMatch(/^none/)
    expect(our.vmOf(server).qmp).toBe('running')
    expect(await row(server)).toBeUndefined()
  })

  test('of a rescue stay first until it is ended, in two presses', async () => {
    const server = await our.server()
    const before = boot(server)
    await hand.runToEnd(await begun(rescue(server.user, server)))
    expect(boot(server)).toMatch(/^order=ide0;/)
    expect(drive(server)).toContain(RESCUE)
    // The way the client's keys reach the rescue system.
    expect(our.vmOf(server).config.ide2).toContain('cloudinit')
    await hand.runToEnd(await begun(endRescue(server.user, server)))
    await expectBack(server, before)
  })

  test.each(STEPS)('that fail for good after %s leave the server as it was', async (step) => {
    const server = await our.server()
    const before = boot(server)
    const jobId = await begun(rescue(server.user, server))
    await hand.run(jobId, broken(step))
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    await expectBack(server, before)
  })

  test.each(OUT_STEPS)(
    'that are not taken out because %s fails are at the next press',
    async (step) => {
      const server = await our.server()
      const before = boot(server)
      await hand.runToEnd(await begun(rescue(server.user, server)))
      await hand.run(await begun(endRescue(server.user, server)), broken(step))
      expect(our.vmOf(server).qmp).toBe('running')
      expect(await row(server)).toBeDefined()
      await hand.runToEnd(await begun(endRescue(server.user, server)))
      await expectBack(server, before)
    },
  )

  test('with every step run twice are put in and taken out once', async () => {
    const server = await our.server()
    const before = boot(server)
    const jobId = await begun(rescue(server.user, server))
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(drive(server)).toContain(RESCUE)
    await hand.run(await begun(endRescue(server.user, server)), twice)
    await expectBack(server, before)
  })

  test('are carried out although an answer or a task was lost', async () => {
    for (const kind of ['task-lost', 'reset', '595', '596'] as const) {
      const server = await our.server()
      const before = boot(server)
      const fault = { kind, method: 'POST', path: `/qemu/${server.vmId}/config`, count: 1 }
      t.sim.faults.add(fault)
      await hand.runToEnd(await begun(rescue(server.user, server)))
      t.sim.faults.clear()
      expect(drive(server)).toContain(RESCUE)
      t.sim.faults.add(fault)
      await hand.runToEnd(await begun(endRescue(server.user, server)))
      t.sim.faults.clear()
      await expectBack(server, before)
    }
  })

  test('rule out what would boot from them or keep them', async () => {
    const server = await inRescue()
    const { id, name } = server
    const client = t.as(server.user)
    const why = { status: 409, body: { message: 'The server is in rescue. End that first.' } }
    const params = { id }
    const body = { osType: 'Ubuntu 22.04', confirm: name }
    expect(await client.attempt(api.servers.reinstall, { params, body })).toMatchObject(why)
    expect(await client.attempt(api.snapshots.take, { params, body: {} })).toMatchObject(why)
    expect(await client.attempt(api.servers.password, { params })).toMatchObject(why)
    expect(await client.attempt(api.servers.offer, { params })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('then hand it over') },
    })
    expect(await put(server.user, server)).toMatchObject(why)
    expect(await rescue(server.user, server)).toMatchObject(why)
    expect(await takeOut(server.user, server)).toMatchObject({ status: 409 })
    expect(await endRescue(await t.make.client(), server)).toMatchObject({ status: 404 })
  })

  test('begin once, however often they are asked for', async () => {
    const server = await our.server()
    const presses = Array.from({ length: 10 }, () => rescue(server.user, server))
    const statuses = (await Promise.all(presses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(9)
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
  })

  test('go by themselves when the server was started again, and not before', async () => {
    const server = await withCd()
    await hand.cdSweep()
    expect(await hand.waiting()).toEqual([])
    clock.advance(60 * 60_000)
    our.vmOf(server).startedAt = Date.now()
    await shop.admin.call(api.sync.proxmox)
    await hand.cdSweep()
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    expect(drive(server)).toMatch(/^none/)
    expect(our.vmOf(server).qmp).toBe('running')
    expect(await row(server)).toBeUndefined()
  })

  test('of a suspended server go, and it stays off', async () => {
    const server = await our.server()
    const before = boot(server)
    await hand.runToEnd(await begun(rescue(server.user, server)))
    const params = { id: server.id }
    await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Spam' } })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    await hand.cdSweep()
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(boot(server)).toBe(before)
    expect(drive(server)).toMatch(/^none/)
    expect(await row(server)).toBeUndefined()
  })

  test('do not start a server that is suspended meanwhile', async () => {
    const server = await our.server()
    const jobId = await begun(rescue(server.user, server))
    const suspend = () =>
      shop.admin.call(api.instances.suspend, {
        params: { id: server.id },
        body: { reason: 'Spam' },
      })
    await hand.run(jobId, asBegins('start', suspend))
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(drive(server)).not.toContain(':iso/')
  })

  test('whose file is gone, or which another cluster has, are refused with a reason', async () => {
    const server = await our.server()
    const key = `pve1/${DEBIAN}`
    const other = `pve2/${DEBIAN}`
    const kept = [key, other].map((one) => [one, t.sim.state.volumes.get(one)] as const)
    for (const [one] of kept) t.sim.state.volumes.delete(one)
    const jobId = await begun(put(server.user, server))
    await hand.run(jobId)
    for (const [one, volume] of kept) if (volume) t.sim.state.volumes.set(one, volume)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining('not on the node of this server') },
    })
    expect(our.vmOf(server).qmp).toBe('running')
    const params = { id: server.id }
    const body = { isoId: 99_999 }
    const unknown = await t.as(server.user).attempt(api.cds.insert, { params, body })
    expect(unknown).toMatchObject({ status: 404 })
  })
})
