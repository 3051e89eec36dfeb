import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readBytes } from './byte-reader.ts'

test('a reader of bytes that come in pieces leaves time for everything else', async () => {
  const stream = new PassThrough()
  stream.write('RFB')
  const reading = readBytes(stream, 8)
  // A reader that asks again and again at once would keep these turns from ever coming.
  await nextTurn()
  await nextTurn()
  stream.write(' 003.')
  stream.write('rest')
  expect(String(await reading)).toBe('RFB 003.')
  expect(String(await readBytes(stream, 4))).toBe('rest')
})

test('more bytes than a stream holds at once are read whole', async () => {
  const stream = new PassThrough({ highWaterMark: 16 })
  const sent = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))
  for (let at = 0; at < sent.length; at += 7) stream.write(sent.subarray(at, at + 7))
  expect((await readBytes(stream, sent.length)).equals(sent)).toBe(true)
})

test.each([
  ['ends', (stream: PassThrough) => void stream.end('RF')],
  ['breaks off', (stream: PassThrough) => void stream.destroy()],
])('a stream that %s too early is an error, not a wait', async (_, over) => {
  const stream = new PassThrough()
  const reading = readBytes(stream, 8)
  over(stream)
  await expect(reading).rejects.toThrow('the screen ended')
  await expect(readBytes(stream, 1)).rejects.toThrow('the screen ended')
})
