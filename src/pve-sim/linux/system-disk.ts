import { open, rename } from 'node:fs/promises'
import type { GuestImage } from './guest-image.ts'
import { osRelease } from './os-release.ts'

const PIECE_BYTES = 256 * 1024

/** Copies a disk without writing its empty parts: they take no room. */
export async function copySparse(from: string, to: string): Promise<void> {
  await using source = await open(from, 'r')
  await using target = await open(to, 'w', 0o600)
  const { size } = await source.stat()
  await target.truncate(size)
  const piece = Buffer.alloc(PIECE_BYTES)
  const empty = Buffer.alloc(PIECE_BYTES)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES, at)
    if (bytesRead === 0) throw new Error(`${from} became shorter while it was copied`)
    if (!piece.subarray(0, bytesRead).equals(empty.subarray(0, bytesRead))) {
      await target.write(piece, 0, bytesRead, at)
    }
    at += bytesRead
  }
}

/** A disk on which this system has just been installed: it was never started. */
export async function newSystemDisk(
  image: GuestImage,
  file: string,
  system: string,
): Promise<void> {
  const unfinished = `${file}.new`
  await copySparse(image.disk, unfinished)
  {
    await using disk = await open(unfinished, 'r+')
    await disk.write(osRelease(system), 0, undefined, image.osReleaseAt)
  }
  await rename(unfinished, file)
}
