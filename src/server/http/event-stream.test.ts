import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, test, vi } from 'vitest'
import { readConfig } from '../config/config.ts'
import type { EventBus, StoredEvent } from '../events/event-bus.ts'
import { systemClock } from '../lib/clock.ts'
import type { Actor } from '../sessions/actor.ts'
import { atEnd } from '../testing/at-end.ts'
import { serveEventStream } from './event-stream.ts'
import { createMetrics } from './observe/metrics.ts'
import { createFastify, prepareServer } from './server.ts'

type Listener = (event: StoredEvent) => void

/** A server with only the event stream; the test controls every wait. */
async function streamWorld() {
  const config = readConfig({ RATE_LIMIT_SCALE: '0', LOG_LEVEL: 'silent' })
  const app = createFastify(config)
  const metrics = createMetrics()
  const listeners = new Set<Listener>()
  const lately: StoredEvent[] = []
  const gate = { session: async () => {}, replay: async (): Promise<StoredEvent[]> => [] }
  const sessions = {
    async resolve(token: string) {
      await gate.session()
      const user = { id: Number(token), role: 'client', isActive: true }
      return { sessionId: 1, user, admin: undefined } as unknown as Actor
    },
  }
  const events = {
    subscribe(_: unknown, onEvent: Listener) {
      listeners.add(onEvent)
      return () => void listeners.delete(onEvent)
    },
    since: () => gate.replay(),
    lately: async () => lately,
  } as unknown as EventBus
  const unused = () => new RateLimiterMemory({ points: 1, duration: 1 })
  const limiters = { areOff: true, here: unused, overAll: unused } as unknown as Parameters<
    typeof prepareServer
  >[1]['limiters']
  const idempotency = {} as Parameters<typeof prepareServer>[1]['idempotency']
  await prepareServer(app, {
    config,
    sessions,
    apiKeys: { resolve: async () => undefined },
    limiters,
    idempotency,
    metrics,
    clock: systemClock,
    log: app.log,
  })
  serveEventStream(app, { events, metrics, log: app.log })
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const port = Number(url.port)
  atEnd(() => app.close())

  /** Sends the request without waiting for an answer. */
  const knock = (user: number, headers: Record<string, string> = {}): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        const head = `GET /api/events HTTP/1.1\r\nhost: test\r\ncookie: hushbox=${user}\r\n`
        socket.write(`${head}${lines.join('')}\r\n`, () => resolve(socket))
      })
      socket.once('error', reject)
    })
  const firstLine = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once('data', (bytes: Buffer) => resolve(String(bytes).split('\r\n')[0] ?? ''))
      socket.once('close', () => resolve('closed'))
    })
  const ask = async (user: number, headers?: Record<string, string>) => {
    const socket = await knock(user, headers)
    return { socket, answer: await firstLine(socket) }
  }
  /** The metric that operators see. */
  const taken = async () =>
    Number(/^hushbox_event_streams (\d+)$/m.exec(await metrics.text())?.[1] ?? Number.NaN)
  const untilFree = () =>
    vi.waitFor(async () => expect([await taken(), listeners.size]).toEqual([0, 0]))
  const connections = promisify(app.server.getConnections.bind(app.server))
  return { app, ask, knock, gate, lately, listeners, taken, untilFree, connections }
}

const OK = 'HTTP/1.1 200 OK'
const TOO_MANY = 'HTTP/1.1 429 Too Many Requests'

/** A promise that resolves when the test says so. */
function held<T>(value: T) {
  let open = () => {}
  const begun = { count: 0 }
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const wait = async () => {
    begun.count += 1
    await gate
    return value
  }
  return { wait, open, begun }
}

describe('the event stream', async () => {
  const world = await streamWorld()
  const { ask, knock, gate, listeners, taken, untilFree, connections } = world

  test.each(['1.5', '-1', '1e3', '0x10', 'abc', '1 2', '1234567890123456', '١'])(
    'refuses Last-Event-ID %s and keeps no slot',
    async (id) => {
      const { socket, answer } = await ask(1, { 'last-event-id': id })
      expect(answer).toBe('HTTP/1.1 400 Bad Request')
      socket.destroy()
      await untilFree()
    },
  )

  test('accepts ten of eighty concurrent requests, and ten again when those are gone', async () => {
    for (let round = 0; round < 2; round += 1) {
      const asked = await Promise.all(
        Array.from({ length: 80 }, () => ask(2, { 'last-event-id': '1' })),
      )
      const answers = asked.map(({ answer }) => answer)
      expect(answers.filter((answer) => answer === OK)).toHaveLength(10)
      expect(answers.filter((answer) => answer === TOO_MANY)).toHaveLength(70)
      for (const { socket } of asked) socket.resetAndDestroy()
      await untilFree()
    }
  })

  test('keeps no slot for a socket that closes while its session is looked up', async () => {
    const lookup = held(undefined)
    gate.session = async () => void (await lookup.wait())
    const sockets = await Promise.all(Array.from({ length: 15 }, () => knock(3)))
    await vi.waitFor(() => expect(lookup.begun.count).toBe(15))
    const gone = sockets.map((socket) => new Promise((closed) => socket.once('close', closed)))
    for (const socket of sockets) socket.resetAndDestroy()
    await Promise.all(gone)
    // A request sent after the resets is answered after the server has seen them.
    gate.session = async () => {}
    const later = await ask(99)
    lookup.open()
    later.socket.destroy()
    await untilFree()
    const { answer, socket } = await ask(3)
    expect(answer).toBe(OK)
    socket.destroy()
    await untilFree()
  })

  test('keeps no slot and no listener for a socket that closes while older events are read', async () => {
    const reading = held<StoredEvent[]>([])
    gate.replay = reading.wait
    const sockets = await Promise.all(
      Array.from({ length: 10 }, () => knock(4, { 'last-event-id': '7' })),
    )
    await vi.waitFor(() => expect(reading.begun.count).toBe(10))
    expect(await taken()).toBe(10)
    for (const socket of sockets) socket.resetAndDestroy()
    await untilFree()
    reading.open()
    gate.replay = async () => []
    const { answer, socket } = await ask(4)
    expect(answer).toBe(OK)
    socket.destroy()
    await untilFree()
  })

  test('answers 503 and keeps no slot if the older events cannot be read', async () => {
    gate.replay = async () => {
      throw Object.assign(new Error('gone'), { code: '57P01' })
    }
    const { socket, answer } = await ask(5, { 'last-event-id': '7' })
    expect(answer).toBe('HTTP/1.1 503 Service Unavailable')
    socket.destroy()
    gate.replay = async () => []
    await untilFree()
  })

  test('sends events that happen while older ones are read after them', async () => {
    const event = (id: number): StoredEvent => ({
      id,
      audience: 'everyone',
      body: { type: 'changed', nouns: ['users'] },
    })
    const reading = held([event(8)])
    gate.replay = reading.wait
    const socket = await knock(6, { 'last-event-id': '7' })
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += String(bytes)
    })
    await vi.waitFor(() => expect(reading.begun.count).toBe(1))
    for (const tell of listeners) tell(event(9))
    reading.open()
    await vi.waitFor(() => expect(text).toContain('id: 9'))
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['8', '9'])
    socket.destroy()
    gate.replay = async () => []
    await untilFree()
  })

  test('disconnects a reader that stops reading, instead of buffering for it', async () => {
    const socket = await knock(7)
    await vi.waitFor(() => expect(listeners.size).toBe(1))
    socket.pause()
    // More than any kernel buffers for a reader that does not read.
    const body = { type: 'changed', nouns: ['x'.repeat(30_000_000)] }
    const event = { id: 1, audience: 'everyone', body } as unknown as StoredEvent
    for (const tell of listeners) tell(event)
    await untilFree()
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000 })
    socket.destroy()
  })
})

describe('a page that states the age of its data', async () => {
  const world = await streamWorld()
  const open = (query: string, headers: Record<string, string> = {}) =>
    world.app.inject({
      url: `/api/events${query}`,
      payloadAsStream: true,
      headers,
      cookies: { hushbox: '7' },
    })
  const firstWords = async (query: string, headers?: Record<string, string>) => {
    const reply = await open(query, headers)
    const text: string[] = []
    reply.stream().on('data', (bytes: Buffer) => text.push(String(bytes)))
    await vi.waitFor(() => expect(text.join('')).toContain('retry:'))
    const heard = text.join('')
    reply.stream().destroy()
    return heard.split('\n').filter((line) => /^(data|id):/.test(line))
  }
  world.lately.push(
    { id: 3, audience: 'user:7', body: { type: 'changed', nouns: ['tokens', 'orders'] } },
    { id: 4, audience: 'user:7', body: { type: 'changed', nouns: ['tokens'] } },
    { id: 5, audience: 'user:7', body: { type: 'signed-out' } },
  )

  test('is told once what to reload, but not why', async () => {
    expect(await firstWords('?age=1500')).toEqual([
      'data: {"type":"changed","nouns":["tokens","orders"]}',
    ])
  })

  test('receives no earlier changes if it states no age, or resumes', async () => {
    expect(await firstWords('')).toEqual([])
    expect(await firstWords('?age=1500', { 'last-event-id': '9' })).toEqual([])
  })

  test.each(['-1', '60001', 'x', '1.5'])(
    'receives a readable refusal of an age of %o',
    async (age) => {
      const reply = await world.app.inject({
        url: `/api/events?age=${age}`,
        cookies: { hushbox: '7' },
      })
      expect([reply.statusCode, reply.json()]).toMatchObject([
        400,
        { message: 'age must be from 0 to 60000 milliseconds.' },
      ])
    },
  )
})
