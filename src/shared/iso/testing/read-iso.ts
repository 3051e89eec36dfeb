import { expect } from 'vitest'

const SECTOR = 2048
const text = new TextDecoder()

type Seen = { name: string; isoName: string; content: Uint8Array }

/** Reads the image back as a system does: descriptor, root folder, Rock Ridge names. */
export function readIso(image: Uint8Array): { label: string; files: Seen[] } {
  const view = new DataView(image.buffer, image.byteOffset, image.length)
  const at = 16 * SECTOR
  const label = text.decode(image.subarray(at + 40, at + 72)).trim()
  const start = view.getUint32(at + 156 + 2, true) * SECTOR
  const end = start + view.getUint32(at + 156 + 10, true)
  const files: Seen[] = []
  for (let from = start; from < end; ) {
    const length = view.getUint8(from)
    if (length === 0) {
      from = (Math.floor(from / SECTOR) + 1) * SECTOR
      continue
    }
    const idLength = view.getUint8(from + 32)
    const isoName = text.decode(image.subarray(from + 33, from + 33 + idLength))
    expect(view.getUint32(from + 2, true)).toBe(view.getUint32(from + 6, false))
    expect(length % 2).toBe(0)
    expect(Math.floor(from / SECTOR)).toBe(Math.floor((from + length - 1) / SECTOR))
    if (idLength > 1) {
      const place = view.getUint32(from + 2, true) * SECTOR
      const content = image.slice(place, place + view.getUint32(from + 10, true))
      const entries = image.subarray(from + 33 + idLength + ((idLength + 1) % 2), from + length)
      files.push({ isoName, name: nameIn(entries), content })
    }
    from += length
  }
  return { label, files }
}

function nameIn(entries: Uint8Array): string {
  for (let from = 0; from + 4 <= entries.length; from += entries[from + 2] ?? 1) {
    const length = entries[from + 2] ?? 0
    if (text.decode(entries.subarray(from, from + 2)) === 'NM') {
      return text.decode(entries.subarray(from + 5, from + length))
    }
  }
  return ''
}
