import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { api } from '#shared/api/index.ts'
import { instances } from '../db/schema/stock.ts'
import { testApp } from '../testing/test-app.ts'
import { CLOSE } from './relay.ts'
import { viewer } from './testing/viewer.ts'

describe('the console', async () => {
  const t = await testApp({ sim: true })
  const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const socketUrl = `${url.replace('http', 'ws')}${api.consoles.screen.path}`

  /** A client that owns a running VM of the demo cluster, with a session. */
  async function owner() {
    const client = await t.make.client()
    const [running] = await t.db.select().from(instances).where(eq(instances.status, 'running'))
    if (!running) throw new Error('the demo has no running VM')
    await t.db.update(instances).set({ ownerId: client.id }).where(eq(instances.id, running.id))
    const who = t.as(client)
    return { client, who, cookie: (await who.cookie) ?? '', instance: running }
  }

  const open = (cookie: string, headers = {}) =>
    new WebSocket(socketUrl, { headers: { cookie: `hushbox=${cookie}`, ...headers } })

  async function openWith(cookie: string, ticket: string) {
    const socket = open(cookie)
    socket.once('open', () => socket.send(ticket))
    return await viewer(socket)
  }

  test('shows the VM’s screen to its owner, without a password, and answers keys', async () => {
    const { who, cookie, instance } = await owner()
    const reply = await who.call(api.consoles.ticket, { params: { id: instance.id } })
    expect(reply).toMatchObject({
      success: true,
      vnc: { ticket: reply.ticket, vmid: instance.vmId },
    })
    expect(JSON.stringify(reply)).not.toContain(String(t.sim.port))
    const screen = await openWith(cookie, reply.ticket)
    expect(screen.outcome).toBe('open')
    expect([screen.width > 0, screen.height > 0]).toEqual([true, true])
    const before = await screen.picture()
    await screen.type('hello')
    await vi.waitFor(async () => expect((await screen.picture()).equals(before)).toBe(false), {
      timeout: 10_000,
    })
    screen.close()
  })

  test.each(['a second time', 'by another', 'after a minute', 'made up'] as const)(
    'a ticket used %s is refused',
    async (how) => {
      const { who, cookie, instance } = await owner()
      const { ticket } = await who.call(api.consoles.ticket, { params: { id: instance.id } })
      if (how === 'a second time') (await openWith(cookie, ticket)).close()
      if (how === 'after a minute') {
        await t.db.execute("update console_tickets set expires_at = now() - interval '1 second'")
      }
      const other = (await t.as(await t.make.client()).cookie) ?? ''
      const screen = await openWith(
        how === 'by another' ? other : cookie,
        how === 'made up' ? 'x'.repeat(43) : ticket,
      )
      expect(screen).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
    },
  )

  test('another’s instance is not found, like one that is not there', async () => {
    const { instance } = await owner()
    const stranger = t.as(await t.make.client())
    const answers = await Promise.all(
      [instance.id, 2_000_000_000].map((id) =>
        stranger.attempt(api.consoles.ticket, { params: { id } }),
      ),
    )
    expect(answers[0]?.status).toBe(404)
    expect(answers[0]?.body).toEqual(answers[1]?.body)
  })

  test('a socket from another site, or of nobody, is not opened', async () => {
    const { cookie } = await owner()
    const statusOf = (socket: WebSocket) =>
      new Promise((done) => {
        socket.once('unexpected-response', (_request, reply) => done(reply.statusCode))
        socket.once('open', () => done('open'))
        socket.on('error', () => done('error'))
      })
    expect(await statusOf(open(cookie, { origin: 'https://evil.example' }))).toBe(403)
    expect(await statusOf(open('nobody'))).toBe(401)
  })

  test('ends at once when the session ends, or the instance changes hands', async () => {
    for (const change of ['sign out', 'change hands'] as const) {
      const { who, cookie, instance, client } = await owner()
      const { ticket } = await who.call(api.consoles.ticket, { params: { id: instance.id } })
      const screen = await openWith(cookie, ticket)
      expect(screen.outcome).toBe('open')
      if (change === 'sign out') await who.call(api.auth.logout)
      else {
        await t.db.update(instances).set({ ownerId: null }).where(eq(instances.id, instance.id))
        await t.deps.events.emit(t.db, `user:${client.id}`, {
          type: 'changed',
          nouns: ['instances'],
        })
      }
      expect(await screen.closed).toBe(CLOSE.signedOut)
    }
  })

  test('a giant frame is cut off, and others go on', async () => {
    const first = await owner()
    const ticketOf = async ({ who, instance }: typeof first) =>
      (await who.call(api.consoles.ticket, { params: { id: instance.id } })).ticket
    const flooding = await openWith(first.cookie, await ticketOf(first))
    const second = await owner()
    const calm = await openWith(second.cookie, await ticketOf(second))
    flooding.send(Buffer.alloc(70_000))
    expect(await flooding.closed).toBe(1009)
    expect((await calm.picture()).length).toBeGreaterThan(0)
    calm.close()
  })

  test('three at once, not four', async () => {
    const { who, cookie, instance } = await owner()
    const screens = []
    for (let n = 0; n < 4; n += 1) {
      const { ticket } = await who.call(api.consoles.ticket, { params: { id: instance.id } })
      screens.push(await openWith(cookie, ticket))
    }
    expect(screens.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'closed'])
    expect(screens[3]?.code).toBe(CLOSE.tooMany)
    for (const screen of screens) screen.close()
  })

  test('says that the server is off', async () => {
    const client = await t.make.client()
    const [stopped] = await t.db.select().from(instances).where(eq(instances.status, 'stopped'))
    await t.db
      .update(instances)
      .set({ ownerId: client.id })
      .where(eq(instances.id, stopped?.id ?? 0))
    const answer = await t.as(client).attempt(api.consoles.ticket, {
      params: { id: stopped?.id ?? 0 },
    })
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
  })
})
