import type { Duplex } from 'node:stream'
import { createInflate } from 'node:zlib'
import { createWebSocketStream, WebSocket } from 'ws'
import { byteReader, type Reader } from '../console/reader.ts'
import { vncResponse } from '../console/vnc-auth.ts'
import type { Sim } from '../sim.ts'

/** A VNC viewer reduced to what a test needs: handshake, pixels, keys. */

export const RAW = 0
export const ZLIB = 6

export type VncProxy = {
  ticket: string
  port: number | string
  password?: string
  upid: string
  user: string
  cert: string
}

type Where = { node: string; vmid: number }

export function openSocket(
  sim: Sim,
  where: Where,
  proxy: VncProxy,
  headers: Record<string, string>,
): WebSocket {
  const query = `port=${proxy.port}&vncticket=${encodeURIComponent(proxy.ticket)}`
  const path = `/api2/json/nodes/${where.node}/qemu/${where.vmid}/vncwebsocket?${query}`
  const url = `wss://${sim.host}:${sim.port}${path}`
  return new WebSocket(url, ['binary'], { ca: sim.caPem, headers, perMessageDeflate: false })
}

/** 101, or the status and reason of the refusal. */
export function upgradeStatus(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101))
    socket.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    socket.on('error', () => {})
  })
}

/** Version, VNC authentication, ClientInit. */
async function handshake(stream: Duplex, reader: Reader, password: string) {
  const version = (await reader.take(12)).toString()
  stream.write(version)
  const types = await reader.take((await reader.take(1))[0] ?? 0)
  stream.write(Buffer.from([2]))
  stream.write(vncResponse(password, await reader.take(16)))
  const result = (await reader.take(4)).readUInt32BE()
  if (result !== 0) {
    const reason = (await reader.take((await reader.take(4)).readUInt32BE())).toString()
    return { version, types: [...types], result, reason }
  }
  stream.write(Buffer.from([1]))
  const init = await reader.take(24)
  const name = (await reader.take(init.readUInt32BE(20))).toString()
  return {
    version,
    types: [...types],
    result,
    width: init.readUInt16BE(0),
    height: init.readUInt16BE(2),
    name,
  }
}

export async function viewer(socket: WebSocket, password: string, encoding = RAW) {
  const stream = createWebSocketStream(socket)
  stream.on('error', () => stream.destroy())
  const reader = byteReader(stream)
  const inflate = createInflate()
  const hello = await handshake(stream, reader, password)
  const width = hello.width ?? 0
  const screen = Buffer.alloc(width * (hello.height ?? 0) * 4)

  const encodings = Buffer.from([2, 0, 0, 1, 0, 0, 0, encoding])
  stream.write(encodings)

  async function pixels(size: number): Promise<Buffer> {
    if (encoding === RAW) return reader.take(size)
    const packed = await reader.take((await reader.take(4)).readUInt32BE())
    const chunks: Buffer[] = []
    let length = 0
    return new Promise((resolve) => {
      const collect = (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length < size) return
        inflate.off('data', collect)
        resolve(Buffer.concat(chunks))
      }
      inflate.on('data', collect)
      inflate.write(packed)
    })
  }

  return {
    hello,
    screen,
    /** Reads one FramebufferUpdate into `screen`; returns its numbers of rectangles and bytes. */
    async update(incremental: boolean) {
      const request = Buffer.alloc(10)
      request[0] = 3
      request[1] = incremental ? 1 : 0
      request.writeUInt16BE(width, 6)
      request.writeUInt16BE(hello.height ?? 0, 8)
      stream.write(request)
      const count = (await reader.take(4)).readUInt16BE(2)
      for (let i = 0; i < count; i++) {
        const head = await reader.take(12)
        const [y, w, h] = [head.readUInt16BE(2), head.readUInt16BE(4), head.readUInt16BE(6)]
        const data = await pixels(w * h * 4)
        data.copy(screen, y * width * 4)
      }
      return count
    },
    type(text: string): void {
      for (const char of text) {
        const code = char === '\n' ? 0xff0d : char === '\b' ? 0xff08 : char.charCodeAt(0)
        for (const down of [1, 0]) {
          const event = Buffer.alloc(8)
          event[0] = 4
          event[1] = down
          event.writeUInt32BE(code, 4)
          stream.write(event)
        }
      }
    },
    close: () => {
      inflate.close()
      socket.terminate()
    },
  }
}
