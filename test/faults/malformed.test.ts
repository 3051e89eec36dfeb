import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  removeFolder,
  type ServerProcess,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { BAD_FRAMES, MALFORMED } from './malformed-requests.ts'

const MUTATED = process.env.LONG === '1' || process.env.FAULTS === '1' ? 1500 : 150
const SEED = 7
const AT_ONCE = 10
const SECRET_KEY = 'a key for malformed requests, long enough'
/** A refusal comes at once; an incomplete request gets none and is ended from here. */
const WAIT_MS = 1000

type Step = string | Buffer

/** Sends each part after an answer to the one before; returns everything received. */
function exchange(port: number, steps: Step[]): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    let sent = 1
    const [first = ''] = steps
    const bytes = (step: Step) => (typeof step === 'string' ? Buffer.from(step, 'latin1') : step)
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes(first)))
    const timer = setTimeout(() => socket.destroy(), WAIT_MS)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const next = steps[sent++]
      if (next !== undefined) socket.write(bytes(next))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

const inLanes = (lane: () => Promise<void>) => Promise.all(Array.from({ length: AT_ONCE }, lane))

const statuses = (text: string) =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))

const upgradeOn = (path: string, ...headers: string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: a',
    ...headers,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    '',
    '',
  ].join('\r\n')

/** Bytes of a valid request of ours with some changed, removed or doubled. */
const mutated = fc
  .tuple(
    fc.constantFrom(...Object.values(MALFORMED).filter((text) => text.length < 5000)),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        take: fc.nat(20),
        put: fc.string({ unit: 'binary', maxLength: 20 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((now, { at, take, put }) => {
      const place = Math.floor(at * now.length)
      return now.slice(0, place) + put + now.slice(place + take)
    }, text),
  )

const databases: [string, () => Promise<Record<string, string>>][] = [
  ['embedded', async () => ({})],
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
]

describe.each(databases)('a server on %s', async (_kind, environment) => {
  const server: ServerProcess = await startProcess({
    ...(await environment()),
    DEMO: '0',
    LOG_LEVEL: 'info',
  })
  const port = Number(new URL(server.url).port)
  const call = await signIn(server.url)
  afterAll(async () => {
    await server.stop()
    removeFolder(server.dataDir)
  })
  const isWell = async () => {
    expect((await call('/api/auth/me')).status).toBe(200)
    const metrics = await (await call('/metrics')).text()
    expect(metrics).toContain('hushbox_event_streams')
    expect(metrics).not.toMatch(/^hushbox_uncaught_faults_total\{/m)
    // No request of a visitor counts as a fault of ours.
    expect(server.output().match(/"level":[56]0.*/g) ?? []).toEqual([])
  }

  test('answers a malformed request with a refusal or not at all', async () => {
    const all = Object.entries(MALFORMED).values()
    await inLanes(async () => {
      for (const [name, bytes] of all) {
        const worst = Math.max(0, ...statuses(await exchange(port, [bytes])))
        expect(worst, name).toBeLessThan(500)
      }
    })
    await isWell()
  })

  test('answers damaged requests with a refusal or not at all', async () => {
    const damaged = fc.sample(mutated, { numRuns: MUTATED, seed: SEED }).values()
    await inLanes(async () => {
      for (const bytes of damaged) {
        const worst = Math.max(0, ...statuses(await exchange(port, [bytes])))
        expect(worst, JSON.stringify(bytes).slice(0, 600)).toBeLessThan(500)
      }
    })
    await isWell()
  })

  test('opens no WebSocket on a page, and logs no address of one', async () => {
    for (const path of ['/', '/login?secret=canary', '/%61pi/nothing?secret=canary']) {
      expect(statuses(await exchange(port, [upgradeOn(path)])), path).toEqual([400])
    }
    expect(server.output()).not.toContain('canary')
  })

  test('closes an open WebSocket that sends an invalid frame, and does nothing more', async () => {
    const open = upgradeOn('/api/console', `Cookie: ${call.cookie}`)
    for (const [name, frame] of Object.entries(BAD_FRAMES)) {
      expect(statuses(await exchange(port, [open, frame])), name).toEqual([101])
    }
    await isWell()
  })
})
