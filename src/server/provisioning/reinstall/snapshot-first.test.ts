import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { type Bend, broken, twice } from '../testing/by-hand.ts'
import { type SoldServer, UBUNTU } from '../testing/reinstalls.ts'
import { openSnapshots } from '../testing/snapshots.ts'

describe.each(BOTH_DATABASES)('a reinstallation with a snapshot first on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openSnapshots(t)

  const begin = async (server: SoldServer) => {
    const { status, body } = await our.ask(server.user, server, { snapshotFirst: true })
    expect(status).toBe(202)
    return body.jobId
  }
  const onDisk = (server: SoldServer) => our.vmOf(server).guest.os
  /** The cluster was asked to remove a disk that a snapshot needs. */
  const hasRefused = ({ vmId }: SoldServer) =>
    [...t.sim.state.tasks.values()].some(
      ({ id, exitstatus }) => id === String(vmId) && exitstatus?.includes('still in use'),
    )
  const reinstalled = async (bend?: Bend) => {
    const server = await our.server()
    our.vmOf(server).guest.os = 'the old one'
    const [old = ''] = our.disks(server)
    const jobId = await begin(server)
    await hand.run(jobId, bend)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    const [row] = await our.rows(server)
    if (!row) throw new Error('no snapshot')
    return { server, old, row }
  }

  test.each([undefined, twice])(
    'keeps the old disk, and a rollback brings it back',
    async (bend) => {
      const { server, old, row } = await reinstalled(bend)
      expect(onDisk(server)).not.toBe('the old one')
      expect(our.disks(server)).toHaveLength(2)
      expect(hasRefused(server)).toBe(false)
      expect((await shop.tokenRow(server.tokenId)).osType).toBe(UBUNTU.osType)
      expect(row).toMatchObject({ state: 'ready', osType: 'Debian 12', volume: old })
      expect((await our.list(server)).snapshots).toMatchObject([{ isOldDisk: true }])
      await hand.run(await our.beginBack(server, row.id), bend)
      expect(onDisk(server)).toBe('the old one')
      expect((await shop.tokenRow(server.tokenId)).osType).toBe('Debian 12')
      // The disk of the newer system is gone; nothing needed it.
      expect(our.disks(server)).toEqual([old])
      const { stored, given, booted } = await our.logins(server)
      expect(given).toEqual(stored)
      expect(booted.password).toBe(stored.password)
      expect((await our.list(server)).snapshots).toMatchObject([{ isOldDisk: false }])
      expect(t.sim.state.orphans()).toEqual([])
    },
  )

  test('gives the old disk back to the storage when the snapshot goes', async () => {
    const { server, old, row } = await reinstalled()
    await hand.run(await our.beginDelete(server, row.id))
    expect(our.disks(server)).toHaveLength(1)
    expect(our.disks(server)).not.toContain(old)
    expect(our.vmOf(server).qmp).toBe('running')
    const other = await reinstalled()
    clock.advance(7 * DAY_MS)
    await hand.snapshotSweep()
    await hand.runAll()
    expect(our.disks(other.server)).toHaveLength(1)
    expect(our.disks(other.server)).not.toContain(other.old)
    expect(await our.rows(other.server)).toEqual([])
  })

  test('keeps the disk of each snapshot, however often it is reinstalled', async () => {
    const { server, old } = await reinstalled()
    our.vmOf(server).guest.os = 'the second'
    clock.advance(1000)
    await hand.run(await begin(server))
    const [first, second] = await our.rows(server)
    expect(our.disks(server)).toHaveLength(3)
    expect(first?.volume).toBe(old)
    await hand.run(await our.beginBack(server, second?.id ?? 0))
    expect(onDisk(server)).toBe('the second')
    await hand.run(await our.beginBack(server, first?.id ?? 0))
    expect(onDisk(server)).toBe('the old one')
    // The second snapshot still needs its own.
    expect(our.disks(server).toSorted()).toEqual([first?.volume, second?.volume].toSorted())
    await hand.run(await our.beginDelete(server, second?.id ?? 0))
    expect(our.disks(server)).toEqual([old])
  })

  test.each(['remember', 'stop', 'snapshot', 'replace', 'configure', 'start', 'proof'])(
    'that fails after %s has neither a new system nor a snapshot',
    async (step) => {
      const server = await our.server()
      our.vmOf(server).guest.os = 'the old one'
      const before = our.disks(server)
      const jobId = await begin(server)
      await hand.run(jobId, broken(step))
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      expect(onDisk(server)).toBe('the old one')
      expect(our.disks(server)).toEqual(before)
      expect(our.inCluster(server)).toEqual([])
      expect(await our.rows(server)).toEqual([])
      expect((await our.row(server)).status).toBe('running')
    },
  )

  test('is refused where the quota or the storage is full, before anything stops', async () => {
    const server = await our.server()
    await our.take(server)
    await our.take(server)
    const params = { id: server.id }
    const { snapshot } = await t.as(server.user).call(api.servers.reinstallPreview, { params })
    const refusal = 'All 2 snapshots of this server are taken. Delete one first.'
    expect(snapshot).toEqual({ refusal, days: 7 })
    const ask = () => our.ask(server.user, server, { snapshotFirst: true })
    expect(await ask()).toMatchObject({ status: 409, body: { message: refusal } })
    const [volume = ''] = our.disks(server)
    const storage = t.sim.state.storages.get(volume.split(':')[0] ?? '')
    if (!storage) throw new Error(`no storage of ${volume}`)
    const { base } = storage
    storage.base = storage.total * 0.9
    expect(await ask()).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('a snapshot needs at least 15 %') },
    })
    storage.base = base
    expect((await our.row(server)).status).toBe('running')
    // Without another one it is reinstalled; those there are keep the old disk.
    const { body } = await our.ask(server.user, server)
    await hand.run(body.jobId)
    expect(our.disks(server)).toHaveLength(2)
    const [first] = await our.rows(server)
    await hand.run(await our.beginDelete(server, first?.id ?? 0))
    expect(our.disks(server)).toHaveLength(2)
  })
})
