import type { Page } from '@playwright/test'
import { CELL, glyph } from '../../src/pve-sim/console/font.ts'

export type Picture = { width: number; height: number; rgb: number[] }

/** Every pixel of the canvas, as 0xrrggbb. */
export const pictureOf = (page: Page): Promise<Picture> =>
  page
    .getByRole('main')
    .locator('canvas')
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement
      const { width, height } = canvas
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] }
      const rgb = Array.from({ length: width * height }, (_, n) =>
        [0, 1, 2].reduce((sum, part) => sum * 256 + (data[n * 4 + part] ?? 0), 0),
      )
      return { width, height, rgb }
    })

const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, n) => String.fromCharCode(0x20 + n))
const BY_SHAPE = new Map(PRINTABLE.map((char) => [[...glyph(char)].join(), char]))
const CURSOR = Array.from({ length: CELL.height }, (_, y) => (y < 13 ? 0 : 0xff)).join()

/**
 * The text on a screen drawn by the simulator: each cell is compared with the letters of its font.
 */
export async function screenText(page: Page): Promise<string> {
  const { width, height, rgb } = await pictureOf(page)
  const charAt = (row: number, column: number): string => {
    const shape = Array.from({ length: CELL.height }, (_, y) => {
      const start = (row * CELL.height + y) * width + column * CELL.width
      return rgb
        .slice(start, start + CELL.width)
        .reduce((bits, pixel) => bits * 2 + (pixel === 0 ? 0 : 1), 0)
    }).join()
    return BY_SHAPE.get(shape) ?? (shape === CURSOR ? ' ' : '\uFFFD')
  }
  const lines = Array.from({ length: height / CELL.height }, (_, row) =>
    Array.from({ length: width / CELL.width }, (_unused, column) => charAt(row, column))
      .join('')
      .trimEnd(),
  )
  return lines.join('\n')
}

/** A PPM as QEMU's screendump writes it. */
export function pictureFromPpm(file: Buffer): Picture {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(file.subarray(0, 64).toString('latin1'))
  const [all = '', width = '0', height = '0'] = head ?? []
  const size = Number(width) * Number(height)
  const rgb = Array.from({ length: size }, (_, n) => file.readUIntBE(all.length + n * 3, 3))
  return { width: Number(width), height: Number(height), rgb }
}

/** How many pixels differ; pictures of two sizes differ in all. */
export function differences(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) return Math.max(a.rgb.length, b.rgb.length)
  return a.rgb.filter((pixel, n) => pixel !== b.rgb[n]).length
}
