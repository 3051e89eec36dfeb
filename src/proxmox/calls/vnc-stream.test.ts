import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { socketStream } from './vnc-stream.ts'

const servers: WebSocketServer[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate()
    server.close()
  }
})

async function connect(autoPong: boolean) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong })
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(socket, 'open')
  return { server, stream: socketStream(socket, 100) }
}

/** One that never answers a ping. */
function silentNode() {
  const socket = Object.assign(new EventEmitter(), {
    isPaused: false,
    ping() {},
    pause() {},
    resume() {},
    terminate() {},
  })
  return { socket, stream: socketStream(socket as unknown as WebSocket, 100) }
}

describe('a console’s stream', () => {
  it('ends when the other side disappears without closing', async () => {
    const { stream } = await connect(false)
    const [error] = await once(stream, 'error')
    expect(error).toMatchObject({ message: 'the node no longer answers' })
  })

  it('stays open as long as the other side answers', async () => {
    const { server, stream } = await connect(true)
    const [client] = [...server.clients]
    if (!client) throw new Error('nobody connected')
    for (let asked = 0; asked < 4; asked += 1) await once(client, 'ping')
    expect(stream.destroyed).toBe(false)
    stream.destroy()
  })

  it('stays open while a slow reader has not come to the answer yet', async () => {
    vi.useFakeTimers()
    const { socket, stream } = silentNode()
    vi.advanceTimersByTime(100)
    socket.emit('message', Buffer.from('a part of a large picture'))
    vi.advanceTimersByTime(100)
    expect(stream.destroyed).toBe(false)

    socket.isPaused = true
    vi.advanceTimersByTime(100)
    socket.isPaused = false
    vi.advanceTimersByTime(100)
    expect(stream.destroyed).toBe(false)

    const lost = once(stream, 'error')
    vi.advanceTimersByTime(100)
    expect(await lost).toMatchObject([{ message: 'the node no longer answers' }])
  })
})
