import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Display, Output } from './displays.ts'
import { DEFAULT_FORMAT, readFormat, writeFormat } from './pixels.ts'
import { byteReader, type Reader } from './reader.ts'
import { vncResponse } from './vnc-auth.ts'

const VERSION = 'RFB 003.008\n'
const VNC_AUTH = 2

type RfbDeps = Display & {
  password: string
  name: string
  /** Closes the screens of the other viewers. */
  clear(): void
}

const u32 = (value: number) => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

const sized = (text: string) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)])

/** Version, security type, challenge. False if the password is wrong. */
async function handshake(stream: Duplex, reader: Reader, password: string): Promise<boolean> {
  stream.write(VERSION)
  const version = (await reader.take(12)).toString('latin1')
  const old = version === 'RFB 003.003\n'
  if (old) stream.write(u32(VNC_AUTH))
  else {
    stream.write(Buffer.from([1, VNC_AUTH]))
    const [chosen] = await reader.take(1)
    if (chosen !== VNC_AUTH) return false
  }
  const challenge = randomBytes(16)
  stream.write(challenge)
  const response = await reader.take(16)
  if (response.equals(vncResponse(password, challenge))) {
    stream.write(u32(0))
    return true
  }
  const reason = version === VERSION ? [sized('Authentication failed')] : []
  stream.end(Buffer.concat([u32(1), ...reason]))
  return false
}

function serverInit({ name, width, height }: RfbDeps): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(width, 0)
  size.writeUInt16BE(height, 2)
  return Buffer.concat([size, writeFormat(DEFAULT_FORMAT), sized(name)])
}

type Handlers = Record<number, (reader: Reader) => Promise<void>>

/** Client messages of RFC 6143, 7.5. */
function messages(key: Display['key'], out: Output): Handlers {
  return {
    0: async (reader) => {
      const format = readFormat((await reader.take(19)).subarray(3))
      if (!format) throw new Error('colour maps are not supported')
      out.setFormat(format)
    },
    2: async (reader) => {
      const count = (await reader.take(3)).readUInt16BE(1)
      const list = await reader.take(count * 4)
      out.setEncodings(Array.from({ length: count }, (_, i) => list.readInt32BE(i * 4)))
    },
    3: async (reader) => out.request((await reader.take(9))[0] !== 0),
    4: async (reader) => {
      const event = await reader.take(7)
      key(event.readUInt32BE(3), event[0] !== 0)
    },
    5: async (reader) => {
      await reader.take(5)
    },
    6: async (reader) => {
      await reader.take((await reader.take(7)).readUInt32BE(3))
    },
  }
}

async function talk(stream: Duplex, deps: RfbDeps): Promise<void> {
  const reader = byteReader(stream)
  if (!(await handshake(stream, reader, deps.password))) return
  const [isShared] = await reader.take(1)
  if (isShared === 0) deps.clear()
  stream.write(serverInit(deps))
  const out = deps.output(stream)
  const handlers = messages(deps.key, out)
  try {
    for (;;) {
      const [type = -1] = await reader.take(1)
      const handler = handlers[type]
      if (!handler) throw new Error(`unknown message ${type}`)
      await handler(reader)
    }
  } finally {
    out.close()
  }
}

/** An RFB 3.8 server for one viewer; ends when either side closes. */
export function serveRfb(stream: Duplex, deps: RfbDeps): void {
  stream.on('error', () => stream.destroy())
  // Any protocol error closes the connection.
  talk(stream, deps).catch(() => stream.destroy())
}
