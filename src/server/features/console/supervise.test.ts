import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createWebSocketStream, WebSocket, WebSocketServer } from 'ws'
import { floodGate, supervise } from './supervise.ts'

test.each([
  ['a fast typist with a mouse', 300, 10, false],
  ['too many messages', 1001, 8, true],
  ['too many bytes', 20, 60_000, true],
])('%s', (_, messages, bytes, isTooMuch) => {
  const gate = floodGate()
  const verdicts = Array.from({ length: messages }, () => gate(bytes))
  expect(verdicts.at(-1)).toBe(isTooMuch)
  expect(verdicts[0]).toBe(false)
})

describe('a console ends', () => {
  const servers: WebSocketServer[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  /** A browser, and the reason its console ended. */
  async function open(given: { idleMs?: number; checkMs?: number; autoPong?: boolean }) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    servers.push(server)
    const connected = once(server, 'connection') as Promise<[WebSocket]>
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const browser = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: given.autoPong ?? true })
    const [socket] = await connected
    const ended = new Promise<string>((resolve) => {
      socket.once('close', () => resolve('gone'))
      const { stop } = supervise({
        socket,
        viewer: createWebSocketStream(socket),
        idleMs: given.idleMs ?? 60_000,
        checkMs: given.checkMs ?? 60_000,
        isAllowed: async () => true,
        failed: (error) => resolve(String(error)),
        end: (why) => resolve(why),
      })
      socket.once('close', stop)
    })
    return { browser, ended }
  }

  test('when no key is pressed, however often the picture is requested', async () => {
    const { browser, ended } = await open({ idleMs: 300 })
    const asking = setInterval(() => browser.send(Buffer.from([3, 1, 0, 0, 0, 0, 0, 0, 0, 0])), 20)
    expect(await ended).toBe('idle')
    clearInterval(asking)
    browser.terminate()
  })

  test('when the browser disconnects without a close frame', async () => {
    const { ended } = await open({ checkMs: 100, autoPong: false })
    expect(await ended).toBe('gone')
  })
})

describe('a browser that has not answered for long', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** One that never answers a ping, looked at every 100 ms. */
  function silent() {
    vi.useFakeTimers()
    const terminate = vi.fn()
    const socket = Object.assign(new EventEmitter(), { isPaused: false, ping() {}, terminate })
    const viewer = new EventEmitter()
    supervise({
      socket: socket as unknown as WebSocket,
      viewer: viewer as unknown as Duplex,
      idleMs: 60_000,
      checkMs: 100,
      isAllowed: async () => true,
      failed: () => {},
      end: () => {},
    })
    return { socket, viewer, terminate }
  }

  test('is lost at the fifth check', () => {
    const { terminate } = silent()
    vi.advanceTimersByTime(400)
    expect(terminate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(terminate).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['takes in a picture', ({ viewer }: ReturnType<typeof silent>) => viewer.emit('drain')],
    ['asks for one', ({ socket }) => socket.emit('message', Buffer.from([3, 1]))],
    ['answers at last', ({ socket }) => socket.emit('pong')],
    [
      'could not be heard',
      ({ socket }) => {
        socket.isPaused = true
        vi.advanceTimersByTime(100)
        socket.isPaused = false
      },
    ],
  ])('is not lost if it %s', (_, happens) => {
    const browser = silent()
    vi.advanceTimersByTime(400)
    happens(browser)
    vi.advanceTimersByTime(400)
    expect(browser.terminate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(browser.terminate).toHaveBeenCalledTimes(1)
  })
})
