import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type DiskFile = { file: string; format: 'qcow2' | 'raw' }

/** Where patterns are written: behind what a guest of one sector uses. */
const AT = '64k'
const LENGTH = '128k'
/** In its own sector such a guest counts its starts. */
const OWN_SECTOR = 512

/** QEMU's own tools; Debian has them in qemu-utils. */
export const hasQemuTools = await Promise.all([
  run('qemu-io', ['--version']),
  run('qemu-img', ['--version']),
]).then(
  () => true,
  () => false,
)
export const whyNoBytes =
  'qemu-io and qemu-img are not installed: tests of the bytes on disks are skipped'

/** Fills a part of the disk of a VM that is off with this byte. */
export async function writePattern({ file, format }: DiskFile, byte: number): Promise<void> {
  await run('qemu-io', ['-f', format, '-c', `write -P ${byte} ${AT} ${LENGTH}`, file])
}

/** Of everything that was stored on the disk, however the disk itself is. */
export async function digestOf({ file, format }: DiskFile): Promise<string> {
  const flat = `${file}.${process.pid}.flat`
  try {
    await run('qemu-img', ['convert', '-f', format, '-O', 'raw', file, flat])
    return createHash('sha256')
      .update((await readFile(flat)).subarray(OWN_SECTOR))
      .digest('hex')
  } finally {
    await rm(flat, { force: true })
  }
}
