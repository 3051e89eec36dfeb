import { existsSync } from 'node:fs'
import { copyFile, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blankDisk, configure, type GuestSettings, SECTOR_BYTES } from './boot-sector.ts'

/** `local-lvm:vm-500-disk-0` → `local-lvm.500-disk-0`; a template's `base-` is the same disk. */
export function fileName(volume: string): string {
  const [storage = '', ...path] = volume.split(/[:/]/)
  const name = (path.at(-1) ?? '').replace(/^(vm|base)-/, '').replace(/\.\w+$/, '')
  return `${storage}.${name}`
}

/** The machine that one sector needs. */
export const sectorHardware = (disk: string): string[] => [
  ...['-accel', 'tcg,tb-size=8', '-m', '8', '-nic', 'none'],
  ...['-drive', `file=${disk.replaceAll(',', ',,')},format=raw,if=ide`],
]

/** The boot disks of VMs as files, created when first needed. */
export function vmDisks(folder: string) {
  const fileOf = (volume: string) => join(folder, `${fileName(volume)}.img`)

  async function ensure(volume: string): Promise<string> {
    const file = fileOf(volume)
    if (!existsSync(file)) await writeFile(file, blankDisk())
    return file
  }

  return {
    /** Returns a bootable disk with the settings of this start written into it. */
    async prepare(volume: string, settings: GuestSettings): Promise<string> {
      const file = await ensure(volume)
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
    async copy(from: string, to: string): Promise<void> {
      await copyFile(await ensure(from), fileOf(to))
    },
    remove: (volume: string) => rm(fileOf(volume), { force: true }),
  }
}
