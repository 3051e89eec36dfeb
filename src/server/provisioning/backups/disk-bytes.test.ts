import { expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { digestOf, writePattern } from '../../hypervisor/testing/disk-bytes.ts'
import { testApp } from '../../testing/test-app.ts'
import { openBackups } from '../testing/backups.ts'
import { AFTER, BEFORE, hasRealDisks, realDisks } from '../testing/real-disks.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const canRun = await hasRealDisks()

test.skipIf(!canRun)(
  'the bytes on a disk are those of the backup, also after its guest ran on it',
  { timeout: 180_000 },
  async () => {
    const t = await testApp({ sim: { qemu: 4 } })
    const { hand, shop, ...our } = await openBackups(t)
    const { diskOf, off } = realDisks(t, our)
    const restore = async (server: SoldServer, backupId: number) => {
      const jobId = await our.begin(our.askRestore(server.user, server, backupId))
      await hand.runToEnd(jobId)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    }
    const [server, other] = [await our.server(), await our.server()]
    await off(server)
    await off(other)
    await writePattern(diskOf(server), BEFORE)
    const kept = await digestOf(diskOf(server))
    const others = await digestOf(diskOf(other))
    const row = await our.make(server)
    expect(await digestOf(diskOf(server))).toBe(kept)

    await writePattern(diskOf(server), AFTER)
    expect(await digestOf(diskOf(server))).not.toBe(kept)
    await restore(server, row.id)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(await digestOf(diskOf(server))).toBe(kept)

    // A guest that boots from the restored disk, and a restore of a server that runs.
    const params = { id: server.id }
    const start = await t.as(server.user).attempt(api.instances.start, { params })
    expect(start.status).toBeLessThan(300)
    await off(server)
    await writePattern(diskOf(server), AFTER)
    await t.as(server.user).attempt(api.instances.start, { params })
    await restore(server, row.id)
    expect(our.vmOf(server).qmp).toBe('running')
    await off(server)
    expect(await digestOf(diskOf(server))).toBe(kept)
    expect(await digestOf(diskOf(other))).toBe(others)
  },
)

test.skipIf(!canRun)(
  'another server that gets a backup has its bytes, and the server it is of keeps its own',
  { timeout: 180_000 },
  async () => {
    const t = await testApp({ sim: { qemu: 4 } })
    const { hand, shop, ...our } = await openBackups(t)
    const { diskOf, off } = realDisks(t, our)
    const source = await our.server()
    const target = await our.server(2, source.user)
    const stranger = await our.server()
    for (const server of [source, target, stranger]) await off(server)
    await writePattern(diskOf(source), BEFORE)
    const kept = await digestOf(diskOf(source))
    const row = await our.make(source)
    await writePattern(diskOf(source), AFTER)
    await writePattern(diskOf(target), 0x3c)
    const [sources, strangers] = [await digestOf(diskOf(source)), await digestOf(diskOf(stranger))]
    expect(await digestOf(diskOf(target))).not.toBe(kept)

    const restore = async () => {
      const wish = { as: 'new' as const, into: target.id, confirm: String(target.vmId) }
      const jobId = await our.begin(our.askRestore(source.user, source, row.id, wish))
      await hand.runToEnd(jobId)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    }
    const expectBytes = async () => {
      expect(await digestOf(diskOf(target))).toBe(kept)
      expect(await digestOf(diskOf(source))).toBe(sources)
      expect(await digestOf(diskOf(stranger))).toBe(strangers)
    }
    await restore()
    expect(our.vmOf(target).qmp).toBe('stopped')
    await expectBytes()

    // Also onto a server that runs, which starts from those bytes.
    await writePattern(diskOf(target), AFTER)
    const params = { id: target.id }
    await t.as(target.user).call(api.instances.start, { params })
    await restore()
    expect(our.vmOf(target).qmp).toBe('running')
    await off(target)
    await expectBytes()
    expect(diskOf(target).volume).not.toBe(diskOf(source).volume)
  },
)
