import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocket, WebSocketServer } from 'ws'
import { readBytes } from '../../src/server/rfb/byte-reader.ts'
import { atLeast, atMost, type Figure, median, timed } from '../figure.ts'

const VERSION = Buffer.from('RFB 003.008\n')
const CHUNK = Buffer.alloc(64 * 1024, 7)
const FLOOD_BYTES = 192 * 1024 * 1024
const ROUNDS = 5
const KEYS = 300
const KEY = Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x61])
const FLOOD = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])
const OPEN = 50
const MB = 1024 * 1024

/**
 * A screen that completes the RFB handshake, sends a flood when asked for a picture, and echoes
 * keys.
 */
async function screen(stream: Duplex): Promise<void> {
  stream.write(VERSION)
  await readBytes(stream, VERSION.length)
  stream.write(Buffer.from([1, 1]))
  await readBytes(stream, 1)
  stream.write(Buffer.alloc(4))
  for (;;) {
    const message = await readBytes(stream, KEY.length)
    if (message[0] === KEY[0]) stream.write(message)
    else {
      for (let sent = 0; sent < FLOOD_BYTES; sent += CHUNK.length) {
        if (!stream.write(CHUNK)) await once(stream, 'drain')
      }
    }
  }
}

async function startScreen() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    const stream = createWebSocketStream(socket)
    stream.on('error', () => stream.destroy())
    // Runs until the viewer leaves.
    screen(stream).catch(() => stream.destroy())
  })
  const { port } = server.address() as AddressInfo
  return { url: `ws://127.0.0.1:${port}`, close: () => server.close() }
}

/** A viewer that has completed the handshake. */
async function view(url: string, ticket?: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  // At once: without a relay the screen sends first.
  const stream = createWebSocketStream(socket)
  stream.on('error', () => stream.destroy())
  await once(socket, 'open')
  if (ticket) socket.send(ticket)
  stream.write(await readBytes(stream, VERSION.length))
  await readBytes(stream, 2)
  stream.write(Buffer.from([1]))
  await readBytes(stream, 4)
  return {
    flood: () =>
      timed(async () => {
        let left = FLOOD_BYTES
        const done = new Promise<void>((resolve) => {
          stream.on('data', (chunk: Buffer) => {
            left -= chunk.length
            if (left <= 0) resolve()
          })
        })
        stream.resume()
        stream.write(FLOOD)
        await done
      }),
    async echo(): Promise<number> {
      const times: number[] = []
      for (let n = 0; n < KEYS; n += 1) {
        times.push(
          await timed(async () => {
            stream.write(KEY)
            await readBytes(stream, KEY.length)
          }),
        )
      }
      return median(times)
    },
    close: () => socket.terminate(),
  }
}

async function startRelay(kind: 'ours' | 'bare', upstream: string) {
  const file = join(import.meta.dirname, 'console-relay.ts')
  const child = fork(file, [kind, upstream], { execArgv: ['--expose-gc'] })
  const { port } = await answerOf<{ port: number }>(child)
  return {
    url: `ws://127.0.0.1:${port}`,
    async rss() {
      child.send('rss')
      return (await answerOf<{ rss: number }>(child)).rss
    },
    stop: () => child.kill(),
  }
}

const answerOf = async <T>(child: ChildProcess) => (await once(child, 'message'))[0] as T

/** Measured in a process that has opened one console before, and nothing else. */
async function memoryOfIdle(upstream: string): Promise<number> {
  const relay = await startRelay('ours', upstream)
  try {
    const viewers = [await view(relay.url, 'a ticket')]
    const before = await relay.rss()
    while (viewers.length <= OPEN) viewers.push(await view(relay.url, 'a ticket'))
    const after = await relay.rss()
    for (const viewer of viewers) viewer.close()
    return Math.max(0, after - before) / MB
  } finally {
    relay.stop()
  }
}

/**
 * The product's relay against a bare pipe of `ws` and against no relay, on the same machine in the
 * same run.
 */
export async function measureConsole(): Promise<Figure[]> {
  const upstream = await startScreen()
  const [ours, bare] = [
    await startRelay('ours', upstream.url),
    await startRelay('bare', upstream.url),
  ]
  const floodThrough = async (url: string) => {
    const viewer = await view(url, 'a ticket')
    const ms = await viewer.flood()
    viewer.close()
    return FLOOD_BYTES / MB / (ms / 1000)
  }
  const echoThrough = async (url: string, ticket?: string) => {
    const viewer = await view(url, ticket)
    const ms = await viewer.echo()
    viewer.close()
    return ms
  }
  try {
    const rates = { ours: [] as number[], bare: [] as number[] }
    const echoes = { ours: [] as number[], direct: [] as number[] }
    for (let n = 0; n <= ROUNDS; n += 1) {
      const rate = { bare: await floodThrough(bare.url), ours: await floodThrough(ours.url) }
      const echo = {
        direct: await echoThrough(upstream.url),
        ours: await echoThrough(ours.url, 'a ticket'),
      }
      // The first round warms up both.
      if (n === 0) continue
      rates.bare.push(rate.bare)
      rates.ours.push(rate.ours)
      echoes.direct.push(echo.direct)
      echoes.ours.push(echo.ours)
    }
    return [
      atLeast(
        `console: bytes, share of a bare ws pipe (${Math.round(median(rates.bare))} MB/s)`,
        median(rates.ours) / median(rates.bare),
        0.8,
      ),
      atMost(
        'console: added to the echo of a key, median',
        median(echoes.ours) - median(echoes.direct),
        5,
        'ms',
      ),
      atMost(
        `console: memory of ${OPEN} open and idle`,
        await memoryOfIdle(upstream.url),
        50,
        'MB',
      ),
    ]
  } finally {
    ours.stop()
    bare.stop()
    upstream.close()
  }
}
