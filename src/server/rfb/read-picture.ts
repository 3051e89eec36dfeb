import type { Duplex } from 'node:stream'
import { readBytes } from './byte-reader.ts'
import { type PictureFacts, pictureCount } from './picture-facts.ts'

/** More than any screen of a server has; a picture is at most 32 MiB on its way. */
const MOST_PIXELS = 8 * 1024 * 1024
const MOST_TEXT_BYTES = 64 * 1024
const SLICE_BYTES = 64 * 1024
const PIXEL_BYTES = 4
const RAW = 0

/** Other viewers stay connected: without it QEMU closes their screens. */
const SHARED = Buffer.from([1])

/** 32 bits a pixel: blue, green, red and an unused byte. */
const PIXEL_FORMAT = Buffer.from([
  0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0,
])
const ONLY_RAW = Buffer.from([2, 0, 0, 1, 0, 0, 0, RAW])

const UPDATE = 0
const BELL = 2
const COPIED_TEXT = 3

/** One whole picture of a screen that has accepted our sign-in. It presses and changes nothing. */
export async function readPicture(screen: Duplex): Promise<PictureFacts> {
  screen.write(SHARED)
  const { width, height } = await readSize(screen)
  if (width * height === 0 || width * height > MOST_PIXELS) {
    throw new Error(`a picture of ${width} by ${height} is not read`)
  }
  screen.write(Buffer.concat([PIXEL_FORMAT, ONLY_RAW, wholePicture(width, height)]))
  const count = pictureCount(width, height)
  for (let left = width * height; left > 0; )
    left -= await readMessage(screen, count, { width, height })
  return count.facts()
}

type Size = { width: number; height: number }
type Count = ReturnType<typeof pictureCount>

async function readSize(screen: Duplex): Promise<Size> {
  const init = await readBytes(screen, 24)
  await skipText(screen, init.readUInt32BE(20))
  return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) }
}

function wholePicture(width: number, height: number): Buffer {
  const request = Buffer.alloc(10)
  request.writeUInt8(3, 0)
  request.writeUInt16BE(width, 6)
  request.writeUInt16BE(height, 8)
  return request
}

async function skipText(screen: Duplex, bytes: number): Promise<void> {
  if (bytes > MOST_TEXT_BYTES) throw new Error('the screen sends too long a text')
  if (bytes > 0) await readBytes(screen, bytes)
}

/** Returns how many pixels the message had. */
async function readMessage(screen: Duplex, count: Count, size: Size): Promise<number> {
  const [kind] = await readBytes(screen, 1)
  if (kind === UPDATE) return await readUpdate(screen, count, size)
  if (kind === COPIED_TEXT) await skipText(screen, (await readBytes(screen, 7)).readUInt32BE(3))
  else if (kind !== BELL) throw new Error(`the screen sends a message of the unknown kind ${kind}`)
  return 0
}

async function readUpdate(screen: Duplex, count: Count, size: Size): Promise<number> {
  let pixels = 0
  const parts = (await readBytes(screen, 3)).readUInt16BE(1)
  for (let part = 0; part < parts; part += 1) {
    const head = await readBytes(screen, 12)
    const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as Four
    if (head.readInt32BE(8) !== RAW) throw new Error('the screen sends pixels we did not ask for')
    if (x + width > size.width || y + height > size.height) {
      throw new Error('the screen sends pixels beyond its edge')
    }
    await readPixels(screen, count, { x, y, width, height })
    pixels += width * height
  }
  return pixels
}

type Four = [number, number, number, number]

/** In slices, so that a whole picture is never in memory. */
async function readPixels(
  screen: Duplex,
  count: Count,
  { x, y, width, height }: Size & { x: number; y: number },
): Promise<void> {
  if (width === 0) return
  const lines = Math.max(1, Math.floor(SLICE_BYTES / (width * PIXEL_BYTES)))
  for (let line = 0; line < height; line += lines) {
    const slice = Math.min(lines, height - line)
    const pixels = await readBytes(screen, width * slice * PIXEL_BYTES)
    count.add({ x, y: y + line, width, height: slice }, pixels)
  }
}
