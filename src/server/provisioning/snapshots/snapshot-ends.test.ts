import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { broken } from '../testing/by-hand.ts'
import { openSnapshots } from '../testing/snapshots.ts'

describe.each(BOTH_DATABASES)('a snapshot on %s, in time,', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openSnapshots(t)

  test('made in Proxmox itself is shown, and never touched', async () => {
    const server = await our.server()
    const vm = our.vmOf(server)
    const config = structuredClone(vm.config)
    vm.snapshots = [{ name: 'by-hand', snaptime: 1_700_000_000, description: 'mine', config }]
    const row = await our.take(server)
    expect((await our.list(server)).others).toEqual([
      { name: 'by-hand', takenAt: '2023-11-14T22:13:20.000Z' },
    ])
    await hand.run(await our.beginDelete(server, row.id))
    clock.advance(30 * DAY_MS)
    await hand.snapshotSweep()
    await hand.runAll()
    clock.advance(-30 * DAY_MS)
    expect(our.inCluster(server)).toEqual(['by-hand'])
  })

  test('deletes itself when its time is over, also of a suspended server', async () => {
    const server = await our.server()
    await our.take(server, { days: 1 })
    const later = await our.take(server, { days: 2 })
    await shop.admin.call(api.instances.suspend, {
      params: { id: server.id },
      body: { reason: 'Spam' },
    })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    clock.advance(DAY_MS)
    await hand.snapshotSweep()
    await hand.snapshotSweep()
    expect(await hand.waiting()).toHaveLength(1)
    await hand.runAll()
    expect((await our.rows(server)).map(({ id }) => id)).toEqual([later.id])
    expect(our.inCluster(server)).toEqual([later.vmSnapshot])
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect((await our.row(server)).status).toBe('stopped')
  })

  test('whose deletion fails stays, and is tried again later', async () => {
    const server = await our.server()
    const row = await our.take(server, { days: 1 })
    clock.advance(DAY_MS)
    await hand.snapshotSweep()
    await hand.runAll(broken('remove'))
    expect(await our.rows(server)).toMatchObject([{ id: row.id, state: 'ready' }])
    expect((await our.row(server)).status).toBe('running')
    await hand.snapshotSweep()
    expect(await hand.waiting()).toEqual([])
    clock.advance(10 * 60_000)
    await hand.snapshotSweep()
    await hand.runAll()
    expect(await our.rows(server)).toEqual([])
  })

  test('of a VM that is gone is forgotten', async () => {
    const server = await our.server()
    const row = await our.take(server)
    const jobId = await our.beginDelete(server, row.id)
    t.sim.state.vms.delete(server.vmId)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(await our.rows(server)).toEqual([])
  })

  test('goes with its server', async () => {
    const server = await our.server()
    await our.take(server)
    await t.as(server.user).call(api.instances.end, {
      params: { id: server.id },
      body: { confirm: server.name },
    })
    for (const { id } of await hand.waiting()) await hand.runToEnd(id)
    await hand.sweep()
    clock.advance(7 * DAY_MS)
    await hand.sweep()
    await hand.runAll()
    expect(t.sim.state.vms.has(server.vmId)).toBe(false)
    expect(await our.rows(server)).toEqual([])
    expect(our.disks(server)).toEqual([])
  })
})
