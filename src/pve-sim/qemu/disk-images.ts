import { existsSync } from 'node:fs'
import { copyFile, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blankDisk, configure, type GuestSettings, SECTOR_BYTES } from './boot-sector.ts'

/** The disks of VMs as files, created when first needed. */
export function vmDisks(folder: string) {
  const fileOf = (vmid: number) => join(folder, `${vmid}.img`)

  async function ensure(vmid: number): Promise<string> {
    const file = fileOf(vmid)
    if (!existsSync(file)) await writeFile(file, blankDisk())
    return file
  }

  return {
    /** Returns a bootable disk with the settings of this start written into it. */
    async prepare(vmid: number, settings: GuestSettings): Promise<string> {
      const file = await ensure(vmid)
      const disk = await open(file, 'r+')
      try {
        const sector = Buffer.alloc(SECTOR_BYTES)
        await disk.read(sector, 0, SECTOR_BYTES, 0)
        configure(sector, settings)
        await disk.write(sector, 0, SECTOR_BYTES, 0)
      } finally {
        await disk.close()
      }
      return file
    },
    async copy(from: number, to: number): Promise<void> {
      await copyFile(await ensure(from), fileOf(to))
    },
    remove: (vmid: number) => rm(fileOf(vmid), { force: true }),
  }
}
