import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { consoleTickets } from '../../db/schema/work.ts'
import { testApp } from '../../testing/test-app.ts'
import { consoleWorld } from './testing/console-world.ts'

/** Everything received on one connection for these bytes, until `isEnough` or it closes. */
function exchange(
  port: number,
  bytes: string,
  isEnough: (text: string) => boolean,
): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => {
      text += String(chunk)
      if (isEnough(text)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve({ text, isClosed: !isEnough(text) }))
  })
}

describe('the address of a console', async () => {
  const t = await testApp({ sim: true })
  const { owner } = await consoleWorld(t)
  const one = await owner()
  const ask = (headers: Record<string, string>) =>
    one.who.send({
      method: api.consoles.ticket.method,
      url: api.consoles.ticket.path.replace(':id', String(one.instance.id)),
      headers,
    })

  test.each(['[::1', '%', 'a b', 'a/b', 'me@elsewhere', 'host:99999999'])(
    'Host %j is refused, and no ticket is issued',
    async (host) => {
      const before = await t.db.select().from(consoleTickets)
      const reply = await ask({ host })
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'INVALID_INPUT'])
      expect(await t.db.select().from(consoleTickets)).toEqual(before)
    },
  )

  test('an empty Host is refused, and no ticket is issued', async () => {
    const { port } = t.app.server.address() as AddressInfo
    const path = api.consoles.ticket.path.replace(':id', String(one.instance.id))
    const head = `POST ${path} HTTP/1.1\r\nHost:\r\nCookie: hushbox=${one.cookie}\r\n`
    const before = await t.db.select().from(consoleTickets)
    const { text } = await exchange(port, `${head}\r\n`, (all) => all.includes('}'))
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(await t.db.select().from(consoleTickets)).toEqual(before)
  })

  test.each([
    ['vps.example', { host: 'vps.example', port: 80 }],
    ['vps.example:8443', { host: 'vps.example', port: 8443 }],
    ['[::1]:3000', { host: '[::1]', port: 3000 }],
  ])('Host %s is named in the answer', async (host, expected) => {
    const reply = await ask({ host })
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toMatchObject(expected)
  })
})

describe('a connection', async () => {
  const logged: string[] = []
  const t = await testApp()
  t.app.log.info = (...line: unknown[]) => void logged.push(JSON.stringify(line))
  const port = Number(new URL(await t.app.listen({ port: 0, host: '127.0.0.1' })).port)
  const UPGRADE =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

  test.each(['/healthz?secret=canary', '/api/settings?secret=canary'])(
    'is not upgraded on %s, is closed, and leaves no address in the log',
    async (path) => {
      const never = () => false
      const { text } = await exchange(
        port,
        `GET ${path} HTTP/1.1\r\nHost: a\r\n${UPGRADE}\r\n`,
        never,
      )
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(text).toContain('cannot be opened as a WebSocket')
      expect(logged.join('\n')).not.toContain('canary')
    },
  )

  test('is closed if the guard refuses its upgrade', async () => {
    const bytes = `GET /api/console HTTP/1.1\r\nHost: a\r\n${UPGRADE}\r\n`
    const { text, isClosed } = await exchange(port, bytes, () => false)
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(isClosed).toBe(true)
  })

  test('stays usable after a request for /api/console without an upgrade', async () => {
    const cookie = `Cookie: hushbox=${await t.as(await t.make.client()).cookie}\r\n`
    const one = `GET /api/console HTTP/1.1\r\nHost: a\r\n${cookie}\r\n`
    const two = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
    const { text } = await exchange(port, one + two, (all) => all.includes('{"status":"ok"}'))
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '400',
      '200',
    ])
  })
})

describe('a path in another spelling', async () => {
  const t = await testApp()

  test.each(['/%61pi/settings', '/api/%73ettings', '/%61%70%69/settings'])(
    '%s is answered like the plain path, and never cached',
    async (url) => {
      const reply = await t.visitor.send({ method: 'GET', url })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['cache-control']).toBe('no-store')
    },
  )

  test('has the same actor and the same methods', async () => {
    const admin = t.as(await t.make.admin())
    const reply = await admin.send({ method: 'GET', url: '/%61pi/auth/me' })
    expect([reply.statusCode, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    const wrong = await admin.send({ method: 'PUT', url: '/%61pi/auth/me' })
    expect(wrong.statusCode).toBe(405)
  })
})
