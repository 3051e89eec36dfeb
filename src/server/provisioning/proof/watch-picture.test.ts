import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { type PictureFacts, pictureCount } from '../../rfb/picture-facts.ts'
import { testClock } from '../../testing/test-app.ts'
import { showsSystem, watchPicture } from './watch-picture.ts'

const SECOND_MS = 1000
const WHOLE = { x: 0, y: 0 }

/** A picture of this size whose pixels are blue, green and red by place. */
function picture(
  width: number,
  height: number,
  pixel: (x: number, y: number) => [number, number, number],
): PictureFacts {
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) pixels.set(pixel(x, y), (y * width + x) * 4)
  }
  const count = pictureCount(width, height)
  count.add({ ...WHOLE, width, height }, pixels)
  return count.facts()
}

const photo = (shift = 0, width = 1024, height = 768) =>
  picture(width, height, (x, y) => [x & 255, y & 255, (x + y + shift) & 255])
const textOnBlue = picture(1024, 768, (x, y) =>
  x % 9 === 0 && y % 16 < 8 ? [255, 255, 255] : [215, 120, 0],
)
const black = picture(1280, 800, () => [0, 0, 0])
const system = photo()

describe('a picture', () => {
  test('of many colours is of a system, in any graphics mode', () => {
    expect(showsSystem(system, black)).toBe(true)
    expect(showsSystem(photo(0, 800, 600), black)).toBe(true)
    expect(showsSystem(photo(0, 1920, 1080), black)).toBe(true)
  })

  test.each([
    ['of one colour', picture(1024, 768, () => [215, 120, 0])],
    ['of text, as of an error', textOnBlue],
    ['in the size of a text mode', photo(0, 720, 400)],
    ['in the size of a boot splash', photo(0, 640, 480)],
    [
      'with a small photo on black',
      picture(1024, 768, (x, y) => (x < 480 ? [x, y & 255, 9] : [0, 0, 0])),
    ],
    ['of a few broad colours', picture(1024, 768, (x) => [(x >> 6) << 4, 0, 0])],
  ])('%s is not', (_, seen) => {
    expect(showsSystem(seen, black)).toBe(false)
  })

  test('that the firmware showed is not, nor with a clock that has moved on', () => {
    const withClock = picture(1024, 768, (x, y) =>
      x < 256 && y < 128 ? [255, 255, 255] : [x & 255, y & 255, (x + y) & 255],
    )
    expect(showsSystem(system, system)).toBe(false)
    expect(showsSystem(withClock, system)).toBe(false)
    expect(showsSystem(photo(99), system)).toBe(true)
  })
})

describe('a watch of the picture', () => {
  const clock = testClock()
  const log = { debug: () => undefined }
  const refused = () => new AppError('CLUSTER_REFUSED', 'The account may not do this.')
  const away = () => new AppError('CLUSTER_UNAVAILABLE', 'The cluster does not answer.')

  /** Asks once at each look, half a minute after the one before. */
  async function watched(...looks: (PictureFacts | Error)[]) {
    let looked = 0
    const look = async () => {
      const seen = looks[looked] ?? black
      looked += 1
      if (seen instanceof Error) throw seen
      return seen
    }
    const isShown = watchPicture({ look, firmware: black, clock, log })
    const answers: boolean[] = []
    for (const _ of looks) {
      answers.push(await isShown())
      clock.advance(30 * SECOND_MS)
    }
    return { answers, looked }
  }

  test('is sure at the second look, half a minute after the first', async () => {
    expect(await watched(system, system)).toEqual({ answers: [false, true], looked: 2 })
  })

  test('begins again when a look shows something else, or fails', async () => {
    const { answers } = await watched(system, textOnBlue, system, away(), system, system)
    expect(answers).toEqual([false, false, false, false, false, true])
  })

  test('does not look before half a minute is over', async () => {
    let looked = 0
    const look = async () => {
      looked += 1
      return system
    }
    const isShown = watchPicture({ look, firmware: black, clock, log })
    await isShown()
    clock.advance(29 * SECOND_MS)
    expect(await isShown()).toBe(false)
    expect(looked).toBe(1)
    clock.advance(SECOND_MS)
    expect(await isShown()).toBe(true)
  })

  test('looks no more once the account was refused', async () => {
    expect(await watched(refused(), system, system)).toMatchObject({
      answers: [false, false, false],
      looked: 1,
    })
  })

  test('does not hide that the VM is gone', async () => {
    await expect(watched(new AppError('VM_MISSING', 'It is gone.'))).rejects.toThrow('It is gone.')
  })
})
