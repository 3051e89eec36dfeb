import type { Duplex } from 'node:stream'

/**
 * Reads exactly this many bytes of a stream, as a handshake needs. The rest stays in it. Takes what
 * is there: to leave a part in the stream and ask again would never let another part arrive.
 */
export async function readBytes(stream: Duplex, size: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let missing = size; missing > 0; ) {
    const there = Math.max(1, stream.readableLength)
    const part = stream.read(Math.min(missing, there)) as Buffer | null
    if (part === null) {
      if (stream.destroyed || stream.readableEnded) throw new Error(ENDED)
      await nextReadable(stream)
    } else {
      parts.push(part)
      missing -= part.length
    }
  }
  const [only] = parts
  return parts.length === 1 && only ? only : Buffer.concat(parts)
}

const ENDED = 'the screen ended'

function nextReadable(stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      for (const [name, listener] of listeners) stream.off(name, listener)
      if (error) reject(error)
      else resolve()
    }
    const ended = () => done(new Error(ENDED))
    const listeners: [string, (error?: Error) => void][] = [
      ['readable', () => done()],
      ['end', ended],
      ['close', ended],
      ['error', (error) => done(error)],
    ]
    for (const [name, listener] of listeners) stream.on(name, listener)
  })
}
