import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { api } from '#shared/api/index.ts'
import { CLOSE } from '#shared/rules/instance/console-endings.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { consoleWorld } from './testing/console-world.ts'
import { viewer } from './testing/viewer.ts'

describe('the console', async () => {
  const clock = testClock(new Date())
  const t = await testApp({ sim: true, clock })
  const { owner, open, openWith, ticketOf, look } = await consoleWorld(t)

  test('shows the VM’s screen to its owner, without a password, and accepts keys', async () => {
    const { who, cookie, instance } = await owner()
    const reply = await who.call(api.consoles.ticket, { params: { id: instance.id } })
    expect(reply).toMatchObject({
      success: true,
      isDirect: false,
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

  test('opens by an API key, with that key’s ticket alone, until the key is revoked', async () => {
    const { who, cookie, instance } = await owner()
    const keyWith = (...scopes: ('servers:console' | 'servers:read')[]) =>
      who.call(api.apiKeys.create, { body: { name: 'screen', scopes } })
    const [one, other] = [await keyWith('servers:console'), await keyWith('servers:console')]
    const ticketBy = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const url = `/api/instances/${instance.id}/console`
      return (await t.app.inject({ method: 'POST', url, headers })).json().ticket
    }
    const lookBy = async (key: string, ticket: string) => {
      const socket = open('', { authorization: `Bearer ${key}`, origin: 'https://cli.test' })
      socket.once('open', () => socket.send(ticket))
      return await viewer(socket)
    }
    const foreign = await lookBy(other.key, await ticketBy(one.key))
    expect(foreign).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
    const inBrowser = await openWith(cookie, await ticketBy(one.key))
    expect(inBrowser).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
    const screen = await lookBy(one.key, await ticketBy(one.key))
    expect(screen.outcome).toBe('open')
    await who.call(api.apiKeys.revoke, { params: { id: one.id } })
    await screen.closed
    const reader = await keyWith('servers:read')
    expect(await ticketBy(reader.key)).toBeUndefined()
  })

  test.each([
    'a second time',
    'by another',
    'from another session',
    'after 61 seconds',
    'when the instance is another’s',
    'made up',
  ] as const)('a ticket used %s is refused', async (how) => {
    const one = await owner()
    const ticket = await ticketOf(one)
    let { cookie } = one
    if (how === 'a second time') (await openWith(cookie, ticket)).close()
    if (how === 'by another') cookie = (await owner()).cookie
    if (how === 'from another session') cookie = (await t.as(one.client).cookie) ?? ''
    if (how === 'after 61 seconds') clock.advance(61_000)
    if (how === 'when the instance is another’s') {
      const { id: ownerId } = await t.make.client()
      await t.db.update(instances).set({ ownerId }).where(eq(instances.id, one.instance.id))
    }
    const screen = await openWith(cookie, how === 'made up' ? 'x'.repeat(43) : ticket)
    expect(screen).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
    expect(screen.width).toBe(0)
  })

  test('refuses an admin’s ticket once the same session shows the product as a client', async () => {
    const { client, instance } = await owner()
    const admin = await t.make.admin()
    const { token } = await t.sessions.start(t.db, admin, 'Vitest')
    const ticket = (await t.with(token).call(api.consoles.ticket, { params: { id: instance.id } }))
      .ticket
    const { sessionId } = (await t.sessions.resolve(token)) ?? { sessionId: 0 }
    const simulating = await t.sessions.rotate(t.db, sessionId, { userId: client.id })
    const screen = await openWith(simulating.token, ticket)
    expect(screen).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
  })

  test('refuses every ticket after logout', async () => {
    const one = await owner()
    const ticket = await ticketOf(one)
    await one.who.call(api.auth.logout)
    expect(await statusOf(open(one.cookie))).toBe(401)
    const later = (await t.as(one.client).cookie) ?? ''
    expect(await openWith(later, ticket)).toMatchObject({ code: CLOSE.refused })
  })

  test('does not find another client’s instance, as if it did not exist', async () => {
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

  test('opens no socket from another site, or without a session', async () => {
    const { cookie } = await owner()
    expect(await statusOf(open(cookie, { origin: 'https://evil.example' }))).toBe(403)
    expect(await statusOf(open('nobody'))).toBe(401)
  })

  test('ends at once when the session ends, or the instance changes its owner', async () => {
    for (const change of ['sign out', 'change hands'] as const) {
      const one = await owner()
      const screen = await look(one)
      expect(screen.outcome).toBe('open')
      if (change === 'sign out') await one.who.call(api.auth.logout)
      else {
        const { client, instance } = one
        await t.db.update(instances).set({ ownerId: null }).where(eq(instances.id, instance.id))
        await t.deps.events.emit(t.db, `user:${client.id}`, {
          type: 'changed',
          nouns: ['instances'],
        })
      }
      expect(await screen.closed).toBe(CLOSE.signedOut)
    }
  })

  test('ends at once when the admin stops simulating the client', async () => {
    const { client, instance } = await owner()
    const started = await t
      .as(await t.make.admin())
      .attempt(api.simulation.start, { params: { userId: client.id } })
    const cookie = started.cookie ?? ''
    const who = t.with(cookie)
    const screen = await openWith(cookie, await ticketOf({ who, instance }))
    expect(screen.outcome).toBe('open')
    await who.call(api.simulation.end)
    expect(await screen.closed).toBe(CLOSE.signedOut)
  })

  test.each(['giant frame', 'giant first message', 'flood of keys'] as const)(
    'disconnects a %s, and others continue',
    async (how) => {
      const calm = await look(await owner())
      const wild = await owner()
      if (how === 'giant first message') {
        const socket = open(wild.cookie)
        socket.once('open', () => socket.send('x'.repeat(70_000)))
        expect(await new Promise((done) => socket.once('close', done))).toBe(1009)
      } else {
        const { send, closed } = await look(wild)
        const key = Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x61])
        if (how === 'giant frame') send(Buffer.alloc(70_000))
        else for (let n = 0; n < 3000; n += 1) send(key)
        expect(await closed).toBe(how === 'giant frame' ? 1009 : CLOSE.refused)
      }
      expect((await calm.picture()).length).toBeGreaterThan(0)
      calm.close()
    },
  )

  test('allows three at once, not four', async () => {
    const one = await owner()
    const screens = []
    for (let n = 0; n < 4; n += 1) screens.push(await look(one))
    expect(screens.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'closed'])
    expect(screens[3]?.code).toBe(CLOSE.tooMany)
    for (const screen of screens) screen.close()
  })

  test('returns the address and ticket of a cluster that is marked so', async () => {
    const { who, instance } = await owner()
    const settings = (directConsole: boolean) =>
      t.db.update(clusters).set({ settings: { ...t.cluster.settings, directConsole } })
    await settings(true)
    const reply = await who.call(api.consoles.ticket, { params: { id: instance.id } })
    expect(reply).toMatchObject({ isDirect: true, host: t.sim.host, vmid: instance.vmId })
    expect(reply.ticket).toMatch(/PVEVNC:/)
    expect(reply.vnc).toMatchObject({ host: t.sim.host, ticket: reply.ticket })
    await settings(false)
  })
})

const statusOf = (socket: WebSocket) =>
  new Promise((done) => {
    socket.once('unexpected-response', (_request, reply) => done(reply.statusCode))
    socket.once('open', () => done('open'))
    socket.on('error', () => done('error'))
  })
