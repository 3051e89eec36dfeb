import { COLUMNS, type Screen } from '../guest/screen.ts'
import { CELL, glyph } from './font.ts'

/** The pixel format that a viewer requested (RFC 6143, 7.4). */
export type PixelFormat = {
  bytes: 1 | 2 | 4
  bigEndian: boolean
  max: { red: number; green: number; blue: number }
  shift: { red: number; green: number; blue: number }
}

export const WIDTH = COLUMNS * CELL.width

export const DEFAULT_FORMAT: PixelFormat = {
  bytes: 4,
  bigEndian: false,
  max: { red: 255, green: 255, blue: 255 },
  shift: { red: 16, green: 8, blue: 0 },
}

export function writeFormat(format: PixelFormat): Buffer {
  const buffer = Buffer.alloc(16)
  buffer[0] = format.bytes * 8
  buffer[1] = format.bytes === 4 ? 24 : format.bytes * 8
  buffer[2] = format.bigEndian ? 1 : 0
  buffer[3] = 1
  buffer.writeUInt16BE(format.max.red, 4)
  buffer.writeUInt16BE(format.max.green, 6)
  buffer.writeUInt16BE(format.max.blue, 8)
  buffer[10] = format.shift.red
  buffer[11] = format.shift.green
  buffer[12] = format.shift.blue
  return buffer
}

/** Undefined for colour maps, which no current viewer requests. */
export function readFormat(buffer: Buffer): PixelFormat | undefined {
  const bytes = (buffer[0] ?? 0) / 8
  if ((bytes !== 1 && bytes !== 2 && bytes !== 4) || buffer[3] === 0) return undefined
  return {
    bytes,
    bigEndian: buffer[2] !== 0,
    max: {
      red: buffer.readUInt16BE(4),
      green: buffer.readUInt16BE(6),
      blue: buffer.readUInt16BE(8),
    },
    shift: { red: buffer[10] ?? 0, green: buffer[11] ?? 0, blue: buffer[12] ?? 0 },
  }
}

/** The sixteen colours of a VGA text screen. */
const PALETTE = [
  0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555,
  0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
]

export function encode(rgb: number, { bytes, bigEndian, max, shift }: PixelFormat): Buffer {
  const part = (value: number, top: number, by: number) => Math.round((value * top) / 255) * 2 ** by
  const value =
    part((rgb >> 16) & 255, max.red, shift.red) +
    part((rgb >> 8) & 255, max.green, shift.green) +
    part(rgb & 255, max.blue, shift.blue)
  const buffer = Buffer.alloc(bytes)
  if (bigEndian) buffer.writeUIntBE(value, 0, bytes)
  else buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

const CURSOR_ROWS = 13

/** Text rows `first` to `last` as raw pixels. */
export function drawRows(screen: Screen, first: number, last: number, format: PixelFormat): Buffer {
  const colors = PALETTE.map((rgb) => encode(rgb, format))
  const black = encode(0, format)
  const out = Buffer.alloc((last - first + 1) * CELL.height * WIDTH * format.bytes)
  const cursor = screen.cursor()
  for (let row = first; row <= last; row++) {
    for (const [column, cell] of screen.row(row).entries()) {
      const here = cursor.row === row && Math.min(cursor.column, COLUMNS - 1) === column
      const shape = glyph(cell.char)
      const ink = colors[cell.color] ?? black
      for (let y = 0; y < CELL.height; y++) {
        const bits = here && y >= CURSOR_ROWS ? 0xff : (shape[y] ?? 0)
        if (bits === 0) continue
        const start = ((row - first) * CELL.height + y) * WIDTH + column * CELL.width
        for (let x = 0; x < CELL.width; x++) {
          if (bits & (0x80 >> x)) out.set(ink, (start + x) * format.bytes)
        }
      }
    }
  }
  return out
}
