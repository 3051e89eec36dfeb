import type { ScreenKind } from '../state/types.ts'
import { CELL, glyph } from './font.ts'

/** A still picture, its colours as 0xrrggbb. */
export type Picture = { width: number; height: number; colourAt(x: number, y: number): number }

const BLACK = 0
const GREY = 0xaaaaaa
const ORANGE = 0xe57000

const LOGO = { left: 280, right: 520, top: 220, bottom: 300 }

/** Letters on black, each line as long as it needs. */
const text =
  (lines: readonly string[]) =>
  (x: number, y: number): number => {
    const char = lines[Math.floor(y / CELL.height)]?.[Math.floor(x / CELL.width)] ?? ' '
    const bits = glyph(char)[y % CELL.height] ?? 0
    return bits & (0x80 >> (x % CELL.width)) ? GREY : BLACK
  }

const firmwareText = text(['BdsDxe: failed to load Boot0001 "UEFI QEMU HARDDISK": Not Found'])
const isLogo = (x: number, y: number) =>
  x >= LOGO.left && x < LOGO.right && y >= LOGO.top && y < LOGO.bottom

/** Hills under a sky: many colours, none of which fills much. */
const landscape =
  (hue: number) =>
  (x: number, y: number): number => {
    const wave = Math.floor(40 * Math.sin(x / 90) + 40 * Math.cos((x + y) / 70))
    const part = (value: number) => Math.max(0, Math.min(255, value))
    const red = part(((x >> 2) + wave + hue) & 0xff)
    return (red << 16) | (part((y >> 2) + wave) << 8) | part(200 - (y >> 3) + wave)
  }

/** A UEFI firmware's mode, which a system without drivers of its own keeps. */
const UEFI = { width: 800, height: 600 }

const PICTURES: Record<ScreenKind, Picture> = {
  system: { ...UEFI, colourAt: landscape(0) },
  splash: { ...UEFI, colourAt: landscape(128) },
  logo: { ...UEFI, colourAt: (x, y) => (isLogo(x, y) ? ORANGE : firmwareText(x, y)) },
  'one-colour': { ...UEFI, colourAt: () => 0x0078d7 },
  'no-disk': {
    width: 720,
    height: 400,
    colourAt: text([
      'Booting from Hard Disk...',
      'Boot failed: not a bootable disk',
      'No bootable device.',
    ]),
  },
  gigantic: { width: 65_535, height: 65_535, colourAt: landscape(0) },
}

export const pictureOf = (kind: ScreenKind, { isBooting }: { isBooting: boolean }): Picture =>
  PICTURES[kind === 'system' && isBooting ? 'logo' : kind]
