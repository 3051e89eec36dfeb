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
