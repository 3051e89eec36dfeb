import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileName } from '#pve-sim/qemu/disk-images.ts'
import { findQemu } from '#pve-sim/qemu/find-qemu.ts'
import { api } from '#shared/api/index.ts'
import {
  digestOf,
  hasQemuTools,
  whyNoBytes,
  writePattern,
} from '../../hypervisor/testing/disk-bytes.ts'
import { testApp } from '../../testing/test-app.ts'
import { openBackups } from '../testing/backups.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const canRun = hasQemuTools && (await findQemu()) !== undefined
if (!canRun) process.stderr.write(`${whyNoBytes}, as they are without QEMU itself\n`)

const BEFORE = 0xa5
const AFTER = 0x5a

test.skipIf(!canRun)(
  'the bytes on a disk are those of the backup, also after its guest ran on it',
  { timeout: 180_000 },
  async () => {
    const t = await testApp({ sim: { qemu: 4 } })
    const { hand, shop, ...our } = await openBackups(t)
    const folder = t.sim.qemu?.folder ?? ''
    const diskOf = (server: SoldServer) => {
      const volume = our.vmOf(server).config.scsi0?.split(',')[0] ?? ''
      return { volume, file: join(folder, `${fileName(volume)}.img`), format: 'raw' as const }
    }
    const off = async (server: SoldServer) => {
      await t.as(server.user).call(api.instances.stop, { params: { id: server.id } })
      expect(our.vmOf(server).qmp).toBe('stopped')
    }
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
