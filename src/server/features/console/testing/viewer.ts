import { createWebSocketStream, type WebSocket } from 'ws'
import { readBytes } from '../../../rfb/byte-reader.ts'

const RAW = 0
const XK_RETURN = 0xff0d

/** A minimal RFB viewer: signs in without a password, requests pictures, presses keys. */
export async function viewer(socket: WebSocket) {
  let reason = ''
  const closed = new Promise<number>((done) =>
    socket.once('close', (code, said) => {
      reason = String(said)
      done(code)
    }),
  )
  const stream = createWebSocketStream(socket)
  stream.on('error', () => stream.destroy())
  const base = {
    closed,
    reason: () => reason,
    close: () => socket.close(),
    send: (data: Buffer) => socket.send(data),
  }
  const ended = closed.then((code) => ({ outcome: 'closed' as const, code }))
  const opened = handshake(stream).then(
    (size) => ({ outcome: 'open' as const, code: 0, ...size }),
    (error: unknown) => {
      if (error instanceof HandshakeError) throw error
      // The stream ended before the handshake did: the close code contains the reason.
      return ended
    },
  )
  const result = await Promise.race([ended, opened])
  const { width, height } = 'width' in result ? result : { width: 0, height: 0 }

  return {
    ...base,
    outcome: result.outcome,
    code: result.code,
    width,
    height,
    /** One whole picture, uncompressed. */
    async picture(): Promise<Buffer> {
      const ask = Buffer.alloc(10)
      ask.writeUInt8(3, 0)
      ask.writeUInt16BE(width, 6)
      ask.writeUInt16BE(height, 8)
      socket.send(ask)
      return await readUpdate(stream)
    },
    async type(text: string): Promise<void> {
      for (const key of [...text].map((letter) => letter.charCodeAt(0)).concat(XK_RETURN)) {
        for (const isDown of [1, 0]) {
          const press = Buffer.alloc(8)
          press.writeUInt8(4, 0)
          press.writeUInt8(isDown, 1)
          press.writeUInt32BE(key, 4)
          socket.send(press)
        }
      }
    },
  }
}

type Stream = ReturnType<typeof createWebSocketStream>

class HandshakeError extends Error {}

async function handshake(stream: Stream): Promise<{ width: number; height: number }> {
  stream.write(await readBytes(stream, 12))
  const [count = 0] = await readBytes(stream, 1)
  const kinds = await readBytes(stream, count)
  if (!kinds.includes(1)) throw new HandshakeError('the relay asks for a password')
  stream.write(Buffer.from([1]))
  await readBytes(stream, 4)
  stream.write(Buffer.from([1]))
  const init = await readBytes(stream, 24)
  await readBytes(stream, init.readUInt32BE(20))
  const encodings = Buffer.from([2, 0, 0, 1, 0, 0, 0, RAW])
  stream.write(encodings)
  return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) }
}

async function readUpdate(stream: Stream): Promise<Buffer> {
  const head = await readBytes(stream, 4)
  const parts: Buffer[] = []
  for (let left = head.readUInt16BE(2); left > 0; left -= 1) {
    const rectangle = await readBytes(stream, 12)
    const pixels = rectangle.readUInt16BE(4) * rectangle.readUInt16BE(6)
    parts.push(await readBytes(stream, pixels * 4))
  }
  return Buffer.concat(parts)
}
