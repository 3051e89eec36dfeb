import type { Duplex } from 'node:stream'

/** Reads exactly this many bytes of a stream, as a handshake needs. The rest stays in it. */
export async function readBytes(stream: Duplex, size: number): Promise<Buffer> {
  for (;;) {
    const chunk = stream.read(size) as Buffer | null
    if (chunk !== null && chunk.length === size) return chunk
    if (chunk !== null) stream.unshift(chunk)
    if (stream.destroyed || stream.readableEnded) throw new Error('the console ended while opening')
    await nextReadable(stream)
  }
}

function nextReadable(stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      for (const [name, listener] of listeners) stream.off(name, listener)
      if (error) reject(error)
      else resolve()
    }
    const ended = () => done(new Error('the console ended while opening'))
    const listeners: [string, (error?: Error) => void][] = [
      ['readable', () => done()],
      ['end', ended],
      ['close', ended],
      ['error', (error) => done(error)],
    ]
    for (const [name, listener] of listeners) stream.on(name, listener)
  })
}
