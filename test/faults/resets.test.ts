import { mkdtempSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { serveBackups } from '../../src/server/commands/backup-socket.ts'
import { consoleWorld } from '../../src/server/features/console/testing/console-world.ts'
import { atEnd } from '../../src/server/testing/at-end.ts'
import {
  METRICS_HEADERS,
  METRICS_TOKEN,
  removeFolder,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { testApp } from '../../src/server/testing/test-app.ts'

/** 2 000 in all in the run of the promises; every moment at least once in every run. */
const isWhole = process.env.LONG === '1' || process.env.FAULTS === '1'
const ROUNDS = isWhole
  ? { requests: 800, events: 680, consoles: 300, backups: 100, process: 120 }
  : { requests: 60, events: 60, consoles: 18, backups: 9, process: 45 }
const AT_ONCE = 8

/** Ways a connection can end without closing properly. */
const ENDS = {
  // Unix sockets have no reset: destroying one breaks the other's pipe.
  reset: (socket: Socket) => void (socket.remotePort ? socket.resetAndDestroy() : socket.destroy()),
  close: (socket: Socket) => void socket.destroy(),
  'half-close': (socket: Socket) => void socket.end(),
}
type End = keyof typeof ENDS
const END_NAMES = Object.keys(ENDS) as End[]

/** What happens on one connection: bytes to send, each when the one before was answered. */
type Script = { steps: (string | Buffer)[]; at: string | number }

/**
 * Plays a script and ends the connection at one moment: before anything is sent, after a part of
 * the first bytes, after all of them, or after this many answers. Resolves when the socket is
 * closed.
 */
function play({ steps, at }: Script, moment: number, how: End): Promise<void> {
  return new Promise((done) => {
    const socket = typeof at === 'number' ? connect(at, '127.0.0.1') : connect(at)
    let answers = 0
    const finish = () => {
      ENDS[how](socket)
      // A half-closed connection is not awaited: the other side may continue.
      setTimeout(() => socket.destroy(), 20)
    }
    socket.on('error', () => undefined)
    socket.on('close', () => done())
    socket.on('connect', () => {
      const [first = ''] = steps
      if (moment === 0) return finish()
      if (moment === 1) return void socket.write(first.slice(0, first.length / 2), finish)
      socket.write(first, () => moment === 2 && finish())
    })
    socket.on('data', () => {
      answers += 1
      if (answers + 2 === moment) return finish()
      const next = steps[answers]
      if (next !== undefined && !socket.destroyed) socket.write(next)
    })
    // For a script that is over, or was refused, before its moment.
    setTimeout(finish, 3000).unref()
  })
}

/** Every moment with every ending in turn, several at once. */
async function resetAll(count: number, moments: number, script: (n: number) => Promise<Script>) {
  let next = 0
  const lane = async () => {
    for (let n = next++; n < count; n = next++) {
      const how = END_NAMES[Math.floor(n / moments) % END_NAMES.length] ?? 'reset'
      await play(await script(n), n % moments, how)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** A client's frame; its mask is zero, so that the payload is sent unchanged. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0])
  return Buffer.concat([head, payload])
}

const RFB = [
  Buffer.from('RFB 003.008\n'),
  Buffer.from([1]),
  Buffer.from([1]),
  // Requests the whole picture.
  Buffer.from([3, 0, 0, 0, 0, 0, 4, 0, 3, 0]),
]

describe('a connection that ends at any moment of its life leaves nothing behind', async () => {
  const t = await testApp({ sim: true, env: { METRICS_TOKEN } })
  const { owner, ticketOf, look } = await consoleWorld(t)
  const address = t.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const one = await owner()
  const cookie = `Cookie: hushbox=${one.cookie}\r\n`
  const gauge = async (name: string) => {
    const { body } = await t.visitor.send({
      method: 'GET',
      url: '/metrics',
      headers: METRICS_HEADERS,
    })
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1] ?? Number.NaN)
  }
  const untilFree = (name: string) =>
    vi.waitFor(async () => expect(await gauge(name)).toBe(0), { timeout: 30_000 })
  /** The answer to a request afterwards, over the same socket. */
  const answers = async () => {
    const paths = ['/healthz', '/api/settings', '/api/auth/me']
    const headers = { cookie: `hushbox=${one.cookie}` }
    const asked = paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`, { headers }))
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  const WELL = [200, 200, 200]

  test('plain requests, kept alive', async () => {
    const login = JSON.stringify({ username: 'nobody@example.test', password: 'wrong' })
    const requests = [
      `GET /api/settings HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /api/auth/me HTTP/1.1\r\nHost: a\r\n${cookie}\r\n`,
      `POST /api/auth/logout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      `POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n${login}`,
    ]
    await resetAll(ROUNDS.requests, 5, async (n) => {
      const request = requests[n % requests.length] ?? ''
      // Two at once on one connection, and a third when the first answer has arrived.
      return { at: port, steps: [request + request, request] }
    })
    expect(await answers()).toEqual(WELL)
  })

  test('event streams', async () => {
    await resetAll(ROUNDS.events, 5, async (n) => {
      const resume = n % 2 === 0 ? 'Last-Event-ID: 1\r\n' : ''
      return { at: port, steps: [`GET /api/events HTTP/1.1\r\nHost: a\r\n${cookie}${resume}\r\n`] }
    })
    await untilFree('hushbox_event_streams')
    expect(await answers()).toEqual(WELL)
  })

  test('consoles', async () => {
    const upgrade = `GET ${api.consoles.screen.path} HTTP/1.1\r\nHost: a\r\n${cookie}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
    const viewed = RFB.map((bytes) => frame(2, bytes))
    await resetAll(ROUNDS.consoles, 9, async () => {
      const ticket = frame(1, Buffer.from(await ticketOf(one)))
      return { at: port, steps: [upgrade, ticket, ...viewed] }
    })
    await untilFree('hushbox_consoles')
    const screen = await look(one)
    expect(screen.outcome).toBe('open')
    screen.close()
    await untilFree('hushbox_consoles')
    expect(await answers()).toEqual(WELL)
  })

  test('the socket for backups', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-resets-'))
    const stop = await serveBackups({
      database: t.database,
      dataDir,
      secret: 'a key for tests, long enough to be one',
      log: t.deps.log,
    })
    atEnd(() => removeFolder(dataDir))
    const at = join(dataDir, 'backup.sock')
    await resetAll(ROUNDS.backups, 5, async () => ({ at, steps: ['x'] }))
    await stop()
    expect(await answers()).toEqual(WELL)
  })
})

test('one account that resets its event streams ends no process and keeps no slot', async () => {
  const server = await startProcess({ DEMO: '0' })
  const call = await signIn(server.url)
  const port = Number(new URL(server.url).port)
  const ask = (lastId: string) =>
    `GET /api/events HTTP/1.1\r\nHost: a\r\nCookie: ${call.cookie}\r\nLast-Event-ID: ${lastId}\r\n\r\n`
  await resetAll(ROUNDS.process, 5, async (n) => ({
    at: port,
    steps: [ask(['1', '1.5', '0'][n % 3] ?? '1')],
  }))
  await vi.waitFor(
    async () => {
      const metrics = await (await call('/metrics')).text()
      expect(metrics).toMatch(/^hushbox_event_streams 0$/m)
    },
    { timeout: 30_000 },
  )
  const metrics = await (await call('/metrics')).text()
  expect(metrics).not.toMatch(/^hushbox_uncaught_faults_total\{/m)
  expect(await server.stop()).toBe(0)
  removeFolder(server.dataDir)
})

const FAULT_ON_SIGNAL = new URL('../../src/server/testing/fault-on-signal.ts', import.meta.url).href

test('an uncaught fault is logged and counted, and the process continues', async () => {
  const server = await startProcess({ DEMO: '0', NODE_OPTIONS: `--import=${FAULT_ON_SIGNAL}` })
  const call = await signIn(server.url)
  const counted = async () => {
    const metrics = await (await call('/metrics')).text()
    return [...metrics.matchAll(/^hushbox_uncaught_faults_total\{kind="(\w+)"\} (\d+)$/gm)]
      .map(([, kind, count]) => `${kind} ${count}`)
      .toSorted()
  }
  server.signal('SIGUSR2')
  await vi.waitFor(
    async () => expect(await counted()).toEqual(['uncaughtException 1', 'unhandledRejection 1']),
    { timeout: 20_000 },
  )
  for (const fault of ['a fault in a listener', 'a fault in a promise']) {
    await vi.waitFor(() => expect(server.output()).toContain(fault))
  }
  expect((await call('/api/auth/me')).status).toBe(200)

  // The faults do not stop: the process shuts down in order, with an exit code for an unrequested
  // end.
  server.signal('SIGHUP')
  expect(await server.ended).toBe(1)
  expect(server.output()).toContain('Stopping (too many faults within a minute)')
  removeFolder(server.dataDir)
})
