import { join } from 'node:path'
import { expect } from 'vitest'
import { fileName } from '#pve-sim/qemu/disk-images.ts'
import { findQemu } from '#pve-sim/qemu/find-qemu.ts'
import { api } from '#shared/api/index.ts'
import { hasQemuTools, whyNoBytes } from '../../hypervisor/testing/disk-bytes.ts'
import type { SimApp } from '../../testing/test-app.ts'
import type { openReinstalls, SoldServer } from './reinstalls.ts'

/** What is on a disk before and after. */
export const BEFORE = 0xa5
export const AFTER = 0x5a

/** Whether servers have disks of real bytes here; says so where they have not. */
export async function hasRealDisks(): Promise<boolean> {
  const canRun = hasQemuTools && (await findQemu()) !== undefined
  if (!canRun) process.stderr.write(`${whyNoBytes}, as they are without QEMU itself\n`)
  return canRun
}

type Servers = Pick<Awaited<ReturnType<typeof openReinstalls>>, 'vmOf'>

/** The disks of servers as files, which are read and written while the server is off. */
export function realDisks(t: SimApp, { vmOf }: Servers) {
  const folder = t.sim.qemu?.folder ?? ''
  return {
    diskOf(server: SoldServer) {
      const volume = vmOf(server).config.scsi0?.split(',')[0] ?? ''
      return { volume, file: join(folder, `${fileName(volume)}.img`), format: 'raw' as const }
    },
    async off(server: SoldServer) {
      await t.as(server.user).call(api.instances.stop, { params: { id: server.id } })
      expect(vmOf(server).qmp).toBe('stopped')
    },
  }
}
