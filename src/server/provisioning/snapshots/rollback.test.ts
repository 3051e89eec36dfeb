import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, broken, twice } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'
import { openSnapshots } from '../testing/snapshots.ts'

const STEPS = ['remember', 'stop', 'clear', 'rollback', 'configure', 'start', 'commit']

describe.each(BOTH_DATABASES)('a rollback on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openSnapshots(t)

  /** Something that is on the disk, and nowhere else. */
  const write = (server: SoldServer, text: string) => {
    our.vmOf(server).guest.os = text
  }
  const onDisk = (server: SoldServer) => our.vmOf(server).guest.os

  /** Everything sold changes: by its client, by the operator, in our rows and in the cluster. */
  const changeAll = async (server: SoldServer) => {
    const address = `203.0.113.${200 + (server.vmId % 40)}`
    await t.db.update(tokens).set({ ipAddress: address }).where(eq(tokens.id, server.tokenId))
    const { config } = our.vmOf(server)
    config.ipconfig0 = (config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${address}`)
    config.net0 = `${config.net0},rate=12`
    Object.assign(config, { cores: '4', memory: '8192', tags: 'now', onboot: '1' })
    const params = { id: server.id }
    await t.db
      .update(instances)
      .set({ hostname: `now-${server.vmId}` })
      .where(eq(instances.id, server.id))
    config.name = vmName(await our.row(server))
    await hand.run((await t.as(server.user).call(api.servers.password, { params })).jobId)
  }
  const sold = (server: SoldServer) => {
    const { config } = our.vmOf(server)
    const { name, cores, memory, net0, ipconfig0, tags, onboot, ciuser, description } = config
    return { name, cores, memory, net0, ipconfig0, tags, onboot, ciuser, description }
  }

  /** A server whose data and settings have both changed since its snapshot, about to go back to it. */
  const begunBack = async () => {
    const server = await our.server()
    write(server, 'before')
    const row = await our.take(server)
    write(server, 'after')
    await changeAll(server)
    const present = sold(server)
    return { server, row, present, jobId: await our.beginBack(server, row.id) }
  }

  test('brings the disk back, and leaves what is sold as it is now', async () => {
    const { server, row, present, jobId } = await begunBack()
    /** What the server would start with. */
    let started: unknown
    await hand.run(
      jobId,
      asBegins('start', async () => {
        started = sold(server)
        expect(our.vmOf(server).qmp).toBe('stopped')
      }),
    )
    expect(started).toEqual(present)
    expect(onDisk(server)).toBe('before')
    expect(our.vmOf(server).qmp).toBe('running')
    expect((await our.row(server)).status).toBe('running')
    const { stored, given, booted } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(booted.password).toBe(stored.password)
    expect(our.inCluster(server)).toEqual([row.vmSnapshot])
  })

  test('does not set a login again that has not changed', async () => {
    const server = await our.server()
    const row = await our.take(server)
    const { cipassword } = our.vmOf(server).config
    await hand.run(await our.beginBack(server, row.id))
    expect(our.vmOf(server).config.cipassword).toBe(cipassword)
  })

  test('grows the disk again to what it was', async () => {
    const server = await our.server()
    const row = await our.take(server)
    const { config } = our.vmOf(server)
    config.scsi0 = (config.scsi0 ?? '').replace(/size=\w+/, 'size=60G')
    await hand.run(await our.beginBack(server, row.id))
    expect(our.vmOf(server).config.scsi0).toContain('size=60G')
  })

  test('with every step run twice is one', async () => {
    const { server, present, jobId } = await begunBack()
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(onDisk(server)).toBe('before')
    expect(sold(server)).toEqual(present)
    expect(our.vmOf(server).qmp).toBe('running')
  })

  test.each(STEPS)('that fails for good after %s starts with what is sold now', async (step) => {
    const { server, present, jobId } = await begunBack()
    await hand.run(jobId, broken(step))
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining('Address, size and login are as before') },
    })
    expect(our.vmOf(server).qmp).toBe('running')
    expect(sold(server)).toEqual(present)
    const isBack = STEPS.indexOf(step) >= STEPS.indexOf('rollback')
    expect(onDisk(server)).toBe(isBack ? 'before' : 'after')
    const { stored, given } = await our.logins(server)
    expect(given).toEqual(stored)
    expect((await our.row(server)).status).toBe('running')
  })

  test('is carried out although its answer, its task or its node was lost', async () => {
    const server = await our.server()
    write(server, 'before')
    const row = await our.take(server)
    const path = `/qemu/${server.vmId}/`
    for (const kind of ['task-lost', 'reset', '595', '596'] as const) {
      write(server, 'after')
      const jobId = await our.beginBack(server, row.id)
      t.sim.faults.add({ kind, method: 'POST', path: `${path}snapshot`, count: 1 })
      await hand.runToEnd(jobId)
      t.sim.faults.clear()
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(onDisk(server)).toBe('before')
      expect(our.vmOf(server).qmp).toBe('running')
    }
  })

  test('that the cluster breaks off waits for the operator, who reads what to do', async () => {
    const { server, present, jobId } = await begunBack()
    t.sim.faults.add({ kind: 'worker-dies', method: 'POST', path: 'rollback$', count: 1 })
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect(hand.run(jobId)).rejects.toBeInstanceOf(RunAgainError)
    }
    expect(await shop.jobRow(jobId)).toMatchObject({
      failure: { message: expect.stringContaining(`On its node run: qm unlock ${server.vmId}`) },
    })
    const told = await t.as(server.user).call(api.jobs.list)
    expect(JSON.stringify(told)).not.toContain('qm unlock')
    expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['after', 'stopped'])
    delete our.vmOf(server).config.lock
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['before', 'running'])
    expect(sold(server)).toEqual(present)
  })

  test('leaves a server off that was off', async () => {
    const server = await our.server()
    const row = await our.take(server)
    await t.as(server.user).call(api.instances.stop, { params: { id: server.id } })
    await hand.run(await our.beginBack(server, row.id))
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect((await our.row(server)).status).toBe('stopped')
  })

  test('does not start a server that is suspended meanwhile', async () => {
    const server = await our.server()
    const row = await our.take(server)
    const suspend = () =>
      shop.admin.call(api.instances.suspend, {
        params: { id: server.id },
        body: { reason: 'Spam' },
      })
    const jobId = await our.beginBack(server, row.id)
    await hand.run(jobId, asBegins('start', suspend))
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    expect(our.vmOf(server).qmp).toBe('stopped')
  })

  test('needs the name of the server, and begins once', async () => {
    const server = await our.server()
    const row = await our.take(server)
    expect(await our.askBack(server.user, server, row.id, 'something')).toMatchObject({
      status: 400,
      body: { message: `Type ${server.vmId} to confirm.` },
    })
    const presses = Array.from({ length: 10 }, () => our.askBack(server.user, server, row.id))
    const answers = await Promise.all(presses)
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    // Nor is anything else done meanwhile.
    expect((await our.askDelete(server.user, server, row.id)).status).toBe(409)
    expect((await our.askTake(server.user, server)).status).toBe(409)
    expect((await our.ask(server.user, server)).status).toBe(409)
    await hand.runAll()
    expect((await our.row(server)).status).toBe('running')
  })

  describe('where the storage goes back only to the newest', () => {
    const onZfs = async (server: SoldServer, work: () => Promise<void>) => {
      const [volume = ''] = our.disks(server)
      const storage = t.sim.state.storages.get(volume.split(':')[0] ?? '')
      if (!storage) throw new Error(`no storage of ${volume}`)
      const { type } = storage
      storage.type = 'zfspool'
      try {
        await work()
      } finally {
        storage.type = type
      }
    }

    test('says which newer ones go, and deletes them', async () => {
      const server = await our.server()
      write(server, 'first')
      const first = await our.take(server, { name: 'First' })
      clock.advance(1000)
      await our.take(server, { name: 'Second' })
      write(server, 'third')
      await onZfs(server, async () => {
        const { snapshots } = await our.list(server)
        expect(snapshots.map(({ name, removes }) => [name, removes])).toEqual([
          ['Second', []],
          ['First', ['Second']],
        ])
        await hand.run(await our.beginBack(server, first.id), twice)
      })
      expect(onDisk(server)).toBe('first')
      expect((await our.rows(server)).map(({ id }) => id)).toEqual([first.id])
      expect(our.inCluster(server)).toEqual([first.vmSnapshot])
    })

    test('is refused in words if one made in Proxmox is in the way', async () => {
      const server = await our.server()
      const row = await our.take(server)
      const vm = our.vmOf(server)
      const config = structuredClone(vm.config)
      vm.snapshots?.push({ name: 'by-hand', snaptime: 2_000_000_000, description: '', config })
      const jobId = await our.beginBack(server, row.id)
      await onZfs(server, () => hand.run(jobId))
      expect(await shop.jobRow(jobId)).toMatchObject({
        state: 'failed',
        failure: {
          publicMessage: expect.stringContaining(
            'A newer snapshot, made in Proxmox itself, is in the way.',
          ),
        },
      })
      expect(our.inCluster(server)).toEqual([row.vmSnapshot, 'by-hand'])
      expect(vm.qmp).toBe('running')
    })
  })
})
