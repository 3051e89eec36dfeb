import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { CLOSE } from '#shared/rules/instance/console-endings.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp } from '../../testing/test-app.ts'
import { consoleWorld } from './testing/console-world.ts'

describe('a console that fails says why', async () => {
  const t = await testApp({ sim: true })
  const { owner, look, open, openWith, ticketOf } = await consoleWorld(t)
  afterEach(async () => {
    t.sim.faults.clear()
    // After several failures every call is refused until a poll finds the cluster healthy.
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  })

  test('the VM stops', async () => {
    const one = await owner()
    const screen = await look(one)
    t.sim.state.crashVm(one.instance.vmId)
    expect(await screen.closed).toBe(CLOSE.ended)
    // From then on every page shows it.
    const answer = await one.who.attempt(api.consoles.ticket, { params: { id: one.instance.id } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
  })

  test('the VM was off before a poll noticed', async () => {
    const one = await owner()
    const ticket = await ticketOf(one)
    t.sim.state.crashVm(one.instance.vmId)
    expect(await openWith(one.cookie, ticket)).toMatchObject({ code: CLOSE.ended })
  })

  test('the server is off', async () => {
    const client = await t.make.client()
    const [stopped] = await t.db.select().from(instances).where(eq(instances.status, 'stopped'))
    const { id } = stopped ?? { id: 0 }
    await t.db.update(instances).set({ ownerId: client.id }).where(eq(instances.id, id))
    const answer = await t.as(client).attempt(api.consoles.ticket, { params: { id } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
  })

  test('the VM moves to another node, and the console continues there', async () => {
    const one = await owner('pve1')
    const screen = await look(one)
    t.sim.state.moveVm(one.instance.vmId, 'pve2')
    expect(await screen.closed).toBe(CLOSE.lost)
    const again = await look(one)
    expect(again.outcome).toBe('open')
    again.close()
  })

  test('the node fails', async () => {
    const one = await owner('pve2')
    const screen = await look(one)
    t.sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    expect(await screen.closed).toBe(CLOSE.unavailable)
    expect(screen.reason()).toMatch(/cannot be reached/)
  })

  test.each([
    ['nobody listens on the cluster’s port', { kind: 'refuse' }, /does not answer at the moment/],
    [
      'the VNC port is closed',
      { kind: 'refuse', path: /vncwebsocket/ },
      /does not answer at the moment/,
    ],
    [
      'the cluster does not answer',
      { kind: 'black-hole', path: /vncproxy/ },
      /does not answer at the moment/,
    ],
    [
      'the account may not',
      { kind: '403', path: /vncproxy/, message: 'Permission check failed (/vms/100, VM.Console)' },
      /^This does not work at the moment. The operator has been told.$/,
    ],
  ] as const)('%s', { timeout: 20_000 }, async (_, fault, reason) => {
    const one = await owner()
    const ticket = await ticketOf(one)
    t.sim.faults.add(fault)
    const screen = await openWith(one.cookie, ticket)
    expect(screen.code).toBe(CLOSE.unavailable)
    expect(screen.reason()).toMatch(reason)
    expect(screen.reason()).not.toMatch(/127\.0\.0\.1|pve\d|VM\.Console/)
  })

  test('a viewer that sends half of its greeting keeps nobody else waiting', async () => {
    const one = await owner()
    const ticket = await ticketOf(one)
    const socket = open(one.cookie)
    onTestFinished(() => socket.terminate())
    socket.once('open', () => socket.send(ticket))
    await once(socket, 'message')
    socket.send(Buffer.from('RFB 0'))
    const other = await look(await owner())
    expect(other.outcome).toBe('open')
    other.close()
  })

  test('a slow cluster is waited for', async () => {
    t.sim.faults.add({ kind: 'latency', ms: 700, path: /vncproxy|vncwebsocket/ })
    const screen = await look(await owner())
    expect(screen.outcome).toBe('open')
    screen.close()
  })
})
