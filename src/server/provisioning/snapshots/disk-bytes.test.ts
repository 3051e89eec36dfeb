import { expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { digestOf, writePattern } from '../../hypervisor/testing/disk-bytes.ts'
import { testApp } from '../../testing/test-app.ts'
import { AFTER, BEFORE, hasRealDisks, realDisks } from '../testing/real-disks.ts'
import { openSnapshots } from '../testing/snapshots.ts'

const canRun = await hasRealDisks()

test.skipIf(!canRun)(
  'the bytes on a disk are those of the snapshot',
  { timeout: 180_000 },
  async () => {
    const t = await testApp({ sim: { qemu: 4 } })
    const { hand, shop, ...our } = await openSnapshots(t)
    const { diskOf, off } = realDisks(t, our)
    const done = async (jobId: string) => {
      await hand.runToEnd(jobId)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    }
    const server = await our.server()
    await off(server)
    const old = diskOf(server)
    await writePattern(old, BEFORE)
    const kept = await digestOf(old)

    const row = await our.take(server)
    await writePattern(old, AFTER)
    expect(await digestOf(old)).not.toBe(kept)
    await done(await our.beginBack(server, row.id))
    expect(await digestOf(old)).toBe(kept)

    // Again, with a guest that boots from the disk and writes to it, and a system in its place.
    await done(await our.beginDelete(server, row.id))
    const { body } = await our.ask(server.user, server, { snapshotFirst: true })
    await done(body.jobId)
    const now = diskOf(server)
    expect(now.volume).not.toBe(old.volume)
    expect(our.vmOf(server).qmp).toBe('running')
    await off(server)
    await writePattern(now, AFTER)
    expect(await digestOf(old)).toBe(kept)
    const [first] = await our.rows(server)
    await done(await our.beginBack(server, first?.id ?? 0))
    expect(diskOf(server)).toEqual(old)
    expect(await digestOf(old)).toBe(kept)
    expect(our.disks(server)).toEqual([old.volume])

    // And once more after the old system ran on it.
    const start = await t
      .as(server.user)
      .attempt(api.instances.start, { params: { id: server.id } })
    expect(start.status).toBeLessThan(300)
    await off(server)
    await writePattern(old, AFTER)
    await done(await our.beginBack(server, first?.id ?? 0))
    expect(await digestOf(old)).toBe(kept)
  },
)
