/** What a picture is like. The picture itself is not kept: it is the client's screen. */
export type PictureFacts = {
  width: number
  height: number
  /** How many colours it has, of 32 shades each of red, green and blue. */
  colours: number
  /** The part of it that its most common colour fills, 0 to 1. */
  commonest: number
  /** The colours of a few points spread over it, as text, by which it is recognised. */
  sketch: string
}

type Rectangle = { x: number; y: number; width: number; height: number }

const COLUMNS = 32
const ROWS = 18
const PIXEL_BYTES = 4
const SHADES = 32

/** Counts a picture that arrives in parts, each pixel as blue, green, red and an unused byte. */
export function pictureCount(width: number, height: number) {
  const counts = new Uint32Array(SHADES ** 3)
  const points = new Uint16Array(COLUMNS * ROWS)
  const pointAt = pointsOf(width, height)

  return {
    add(part: Rectangle, pixels: Buffer): void {
      for (let row = 0; row < part.height; row += 1) {
        const inRow = pointAt.get(part.y + row)
        for (let column = 0; column < part.width; column += 1) {
          const at = (row * part.width + column) * PIXEL_BYTES
          const colour = colourAt(pixels, at)
          counts[colour] = (counts[colour] ?? 0) + 1
          const point = inRow?.get(part.x + column)
          if (point !== undefined) points[point] = colour
        }
      }
    },
    facts(): PictureFacts {
      let colours = 0
      let most = 0
      for (const count of counts) {
        if (count > 0) colours += 1
        if (count > most) most = count
      }
      const sketch = Array.from(points, (colour) => colour.toString(36).padStart(3, '0')).join('')
      return { width, height, colours, commonest: most / (width * height), sketch }
    },
  }
}

const colourAt = (pixels: Buffer, at: number): number =>
  ((pixels[at + 2] ?? 0) >> 3) * SHADES * SHADES +
  ((pixels[at + 1] ?? 0) >> 3) * SHADES +
  ((pixels[at] ?? 0) >> 3)

/** The places of the points: by line, then by column. */
function pointsOf(width: number, height: number): Map<number, Map<number, number>> {
  const places = new Map<number, Map<number, number>>()
  const spread = (index: number, of: number, size: number) =>
    Math.floor(((index + 0.5) * size) / of)
  for (let row = 0; row < ROWS; row += 1) {
    const line = new Map<number, number>()
    for (let column = 0; column < COLUMNS; column += 1) {
      line.set(spread(column, COLUMNS, width), row * COLUMNS + column)
    }
    places.set(spread(row, ROWS, height), line)
  }
  return places
}

const POINT_LETTERS = 3

/** The part of the points at which two pictures of one size have the same colour, 0 to 1. */
export function likeness(one: PictureFacts, other: PictureFacts): number {
  if (one.width !== other.width || one.height !== other.height) return 0
  let same = 0
  for (let at = 0; at < one.sketch.length; at += POINT_LETTERS) {
    const end = at + POINT_LETTERS
    if (one.sketch.slice(at, end) === other.sketch.slice(at, end)) same += 1
  }
  return same / (COLUMNS * ROWS)
}
