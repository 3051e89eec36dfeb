import type { Duplex } from 'node:stream'
import { constants, createDeflate } from 'node:zlib'
import { ROWS, type Screen } from '../guest/screen.ts'
import { CELL } from './font.ts'
import { DEFAULT_FORMAT, drawRows, type PixelFormat, WIDTH } from './pixels.ts'

const RAW = 0
const ZLIB = 6

/** One deflate stream for the whole connection, flushed after each rectangle. */
function compressor() {
  const deflate = createDeflate()
  let chunks: Buffer[] = []
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    pack: (data: Buffer) =>
      new Promise<Buffer>((resolve) => {
        chunks = []
        deflate.write(data)
        deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(chunks)))
      }),
    close: () => deflate.close(),
  }
}

/** Groups neighbouring rows into one rectangle. */
function spans(rows: number[]): [number, number][] {
  const out: [number, number][] = []
  for (const row of rows) {
    const last = out.at(-1)
    if (last && last[1] === row - 1) last[1] = row
    else out.push([row, row])
  }
  return out
}

/** Sends the viewer the changes, one update per request and never two at once. */
export function updates(stream: Duplex, screen: Screen) {
  const zlib = compressor()
  let format: PixelFormat = DEFAULT_FORMAT
  let encoding = RAW
  let seen = 0
  let requested: 'no' | 'changes' | 'everything' = 'no'
  let sending = false
  let closed = false

  async function rectangle(first: number, last: number): Promise<Buffer> {
    const head = Buffer.alloc(12)
    head.writeUInt16BE(0, 0)
    head.writeUInt16BE(first * CELL.height, 2)
    head.writeUInt16BE(WIDTH, 4)
    head.writeUInt16BE((last - first + 1) * CELL.height, 6)
    head.writeInt32BE(encoding, 8)
    const pixels = drawRows(screen, first, last, format)
    if (encoding === RAW) return Buffer.concat([head, pixels])
    const packed = await zlib.pack(pixels)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(packed.length)
    return Buffer.concat([head, length, packed])
  }

  async function send(rows: number[]): Promise<void> {
    const head = Buffer.alloc(4)
    const rectangles: Buffer[] = []
    for (const [first, last] of spans(rows)) rectangles.push(await rectangle(first, last))
    head.writeUInt16BE(rectangles.length, 2)
    if (closed || stream.destroyed) return
    if (!stream.write(Buffer.concat([head, ...rectangles]))) {
      await drained(stream)
    }
  }

  async function pump(): Promise<void> {
    if (sending) return
    sending = true
    while (!closed && requested !== 'no') {
      const rows = requested === 'everything' ? [...Array(ROWS).keys()] : screen.changedSince(seen)
      if (rows.length === 0) break
      requested = 'no'
      seen = screen.version()
      await send(rows)
    }
    sending = false
  }

  const unwatch = screen.watch(() => void pump())

  return {
    request(incremental: boolean): void {
      if (!incremental) requested = 'everything'
      else if (requested === 'no') requested = 'changes'
      void pump()
    },
    setFormat(wanted: PixelFormat): void {
      format = wanted
    },
    setEncodings(offered: number[]): void {
      encoding = offered.includes(ZLIB) ? ZLIB : RAW
    },
    close(): void {
      closed = true
      unwatch()
      zlib.close()
    },
  }
}

/** Resolves when the stream accepts more or is closed; leaves no listener behind. */
export const drained = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
