import type { Duplex } from 'node:stream'
import type { Machine } from '../guest/machine.ts'
import { ROWS } from '../guest/screen.ts'
import { CELL } from './font.ts'
import type { Picture } from './pictures.ts'
import { DEFAULT_FORMAT, encode, type PixelFormat, WIDTH } from './pixels.ts'
import { drained, updates } from './updates.ts'

/** What a viewer is sent: a whole picture, or what changed since the last one. */
export type Output = {
  request(incremental: boolean): void
  setFormat(wanted: PixelFormat): void
  setEncodings(offered: number[]): void
  close(): void
}

export type Display = {
  width: number
  height: number
  key(keysym: number, down: boolean): void
  output(stream: Duplex): Output
}

export const textDisplay = (machine: Machine): Display => ({
  width: WIDTH,
  height: ROWS * CELL.height,
  key: machine.key,
  output: (stream) => updates(stream, machine.screen),
})

/** How many lines of a picture are sent at once. */
const STRIPE = 16

/** A picture that never changes and hears no keys, always in raw pixels. */
export const pictureDisplay = ({ width, height, colourAt }: Picture): Display => ({
  width,
  height,
  key: () => undefined,
  output: (stream) => {
    let format = DEFAULT_FORMAT
    const send = async () => {
      const paint = painter(format)
      stream.write(updateOf(Math.ceil(height / STRIPE)))
      for (let top = 0; top < height && !stream.destroyed; top += STRIPE) {
        const lines = Math.min(STRIPE, height - top)
        const pixels = Buffer.alloc(width * lines * format.bytes)
        for (let at = 0; at < width * lines; at += 1) {
          const colour = colourAt(at % width, top + Math.floor(at / width))
          pixels.set(paint(colour), at * format.bytes)
        }
        const head = rectangle({ top, width, lines })
        if (!stream.write(Buffer.concat([head, pixels]))) await drained(stream)
      }
    }
    return {
      request(incremental) {
        if (!incremental) void send()
      },
      setFormat(wanted) {
        format = wanted
      },
      setEncodings: () => undefined,
      close: () => undefined,
    }
  },
})

/** Each colour is encoded once. */
function painter(format: PixelFormat): (colour: number) => Buffer {
  const known = new Map<number, Buffer>()
  return (colour) => {
    const pixel = known.get(colour) ?? encode(colour, format)
    known.set(colour, pixel)
    return pixel
  }
}

function updateOf(rectangles: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(rectangles, 2)
  return head
}

function rectangle({ top, width, lines }: { top: number; width: number; lines: number }): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(top, 2)
  head.writeUInt16BE(width, 4)
  head.writeUInt16BE(lines, 6)
  return head
}
