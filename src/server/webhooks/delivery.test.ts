import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { webhookDeliveries, webhooks } from '../db/schema/work.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { INSIDE, listening } from './testing/listening.ts'
import { startReceiver, verify } from './testing/receiver.ts'

describe.each(BOTH_DATABASES)('a delivery, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock, env: INSIDE })
  const our = listening(t)
  const receiver = await startReceiver()

  /** A client with a webhook, whose orders are paid at will. */
  async function subscriber(url = receiver.url) {
    const client = await t.make.client()
    const made = await our.hook(client, url, ['order.paid'])
    const pays = () => our.happens({ action: 'order.paid', subject: client.id })
    return { client, pays, ...made }
  }
  const switchedOff = (id: number) =>
    our.row(id).then(({ isOn, offReason }) => ({ isOn, offReason }))

  test('is signed so that the package of Standard Webhooks accepts it', async () => {
    const { pays, secret } = await subscriber()
    await pays()
    await our.deliver()
    const [call, ...more] = receiver.news()
    expect(more).toEqual([])
    if (!call) throw new Error('nothing came')
    expect(verify(secret, call, clock.now())).toEqual({
      type: 'order.paid',
      timestamp: clock.now().toISOString(),
      data: { serverId: null, tokenId: null, orderId: null, by: 'system' },
    })
    expect(() => verify(`whsec_${'A'.repeat(44)}`, call, clock.now())).toThrow('No matching')
    const forged = { ...call, body: call.body.replace('paid', 'lost') }
    expect(() => verify(secret, forged, clock.now())).toThrow('No matching')
    const late = new Date(clock.now().getTime() + 6 * MINUTE_MS)
    expect(() => verify(secret, call, late)).toThrow('too old')
    await our.deliver()
    expect(receiver.news()).toEqual([])
  })

  test('is tried eight times within three days, under one id and with one body', async () => {
    const { pays, id, secret } = await subscriber()
    receiver.answers(500, 'broken')
    await pays()
    const calls = []
    const began = clock.now().getTime()
    for (let n = 0; n < 20; n += 1) {
      await our.deliver()
      for (const call of receiver.news()) {
        verify(secret, call, clock.now())
        calls.push(call)
      }
      const [row] = await our.deliveriesOf(id)
      expect(row).toMatchObject({ tries: calls.length, lastStatus: 500, lastAnswer: 'broken' })
      if (row?.state === 'failed') break
      // Not a moment earlier.
      clock.set(new Date((row?.nextAt.getTime() ?? 0) - 1))
      await our.deliver()
      expect(receiver.news()).toEqual([])
      clock.advance(1)
    }
    expect(calls).toHaveLength(8)
    expect(new Set(calls.map((call) => call.id + call.body)).size).toBe(1)
    expect(clock.now().getTime() - began).toBeLessThanOrEqual(3 * DAY_MS)
    receiver.takes()
    clock.advance(DAY_MS)
    await our.deliver()
    expect(receiver.news()).toEqual([])
    expect(await switchedOff(id)).toEqual({ isOn: true, offReason: null })
  })

  test('is sent again by hand, under the same id', async () => {
    const { client, pays, id } = await subscriber()
    receiver.answers(302)
    await pays()
    await our.deliver()
    receiver.takes()
    const [first] = receiver.news()
    const [row] = await t.as(client).call(api.ownWebhooks.deliveries, { params: { id } })
    expect(row).toMatchObject({ state: 'waiting', lastStatus: 302, messageId: first?.id })
    const body = { deliveryId: row?.id ?? 0 }
    for (const _ of [1, 2]) {
      await t.as(client).call(api.ownWebhooks.redeliver, { params: { id }, body })
      await our.deliver()
      expect(receiver.news()).toMatchObject([{ id: first?.id, body: first?.body }])
    }
    const [after] = await t.as(client).call(api.ownWebhooks.deliveries, { params: { id } })
    expect(after).toMatchObject({ state: 'delivered', nextAt: null, lastStatus: 204 })
  })

  test('is signed with the old secret, too, for a day after it was replaced', async () => {
    const { client, pays, id, secret } = await subscriber()
    const fresh = await t.as(client).call(api.ownWebhooks.replaceSecret, { params: { id } })
    expect(fresh.secret).not.toBe(secret)
    await pays()
    await our.deliver()
    const [call] = receiver.news()
    if (!call) throw new Error('nothing came')
    expect(call.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    verify(secret, call, clock.now())
    verify(fresh.secret, call, clock.now())
    clock.advance(DAY_MS)
    await pays()
    await our.deliver()
    const [next] = receiver.news()
    if (!next) throw new Error('nothing came')
    verify(fresh.secret, next, clock.now())
    expect(() => verify(secret, next, clock.now())).toThrow('No matching')
  })

  test('that is answered with 410 switches its webhook off, and the owner reads it', async () => {
    const { client, pays, id } = await subscriber()
    await pays()
    await pays()
    receiver.answers(410)
    await our.deliver()
    receiver.takes()
    expect(receiver.news()).toHaveLength(1)
    expect(await switchedOff(id)).toEqual({ isOn: false, offReason: 'gone' })
    expect(await t.as(client).call(api.account.activity)).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'account.webhook-off' })]),
    )
    clock.advance(DAY_MS)
    await pays()
    await our.deliver()
    expect(receiver.news()).toEqual([])
    // What happened while it was off is not told when it is on again.
    const body = { url: receiver.url, events: ['order.paid' as const], isOn: true }
    await t.as(client).call(api.ownWebhooks.update, { params: { id }, body })
    await our.deliver()
    expect(receiver.news()).toEqual([])
    await pays()
    await our.deliver()
    expect(receiver.news()).toHaveLength(1)
  })

  test('that fails for five days switches its webhook off, unless one arrived in between', async () => {
    const [bad, shaky] = [await subscriber(), await subscriber()]
    const both = async () => {
      await bad.pays()
      await shaky.pays()
      await our.deliver()
    }
    receiver.answers(503)
    await both()
    clock.advance(3 * DAY_MS)
    receiver.takes()
    await shaky.pays()
    await t.db.update(webhooks).set({ pausedUntil: null }).where(eq(webhooks.id, shaky.id))
    await t.db
      .update(webhookDeliveries)
      .set({ nextAt: new Date(clock.now().getTime() + 10 * DAY_MS) })
      .where(eq(webhookDeliveries.webhookId, bad.id))
    await our.deliver()
    receiver.answers(503)
    clock.advance(2 * DAY_MS - 1)
    await both()
    expect(await switchedOff(bad.id)).toMatchObject({ isOn: true })
    clock.advance(HOUR_MS)
    await both()
    receiver.takes()
    expect(await switchedOff(bad.id)).toEqual({ isOn: false, offReason: 'failing' })
    expect(await switchedOff(shaky.id)).toMatchObject({ isOn: true })
    receiver.news()
    await t.db.delete(webhooks).where(eq(webhooks.id, shaky.id))
  })

  test('to a failing address waits, so that it gets one call a minute', async () => {
    const { pays, id } = await subscriber()
    receiver.answers(500)
    for (let n = 0; n < 5; n += 1) await pays()
    await our.deliver()
    expect(receiver.news()).toHaveLength(1)
    clock.advance(MINUTE_MS)
    await our.deliver()
    expect(receiver.news()).toHaveLength(1)
    receiver.takes()
    clock.advance(MINUTE_MS)
    await our.deliver()
    expect(receiver.news().length).toBeGreaterThanOrEqual(4)
    await t.db.delete(webhooks).where(eq(webhooks.id, id))
  })

  test('is made by one of two processes, and each once', async () => {
    const other = await testApp({ on: t.database, clock, env: INSIDE })
    const theirs = listening(other)
    const { pays } = await subscriber()
    for (let n = 0; n < 10; n += 1) await pays()
    await Promise.all([our.deliver(), theirs.deliver(), our.deliver(), theirs.deliver()])
    await our.deliver()
    const calls = receiver.news()
    expect(calls).toHaveLength(10)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(10)
  })

  test('of a process that was killed after the call is sent again by another, under its id', async () => {
    const { pays, id } = await subscriber()
    await pays()
    // As it is between the call and its row.
    const { promise: isCalled, resolve: called } = Promise.withResolvers<void>()
    const { promise: dies } = Promise.withResolvers<void>()
    receiver.state.onCall = async () => {
      called()
      await dies
    }
    const lost = our.deliver()
    lost.catch(() => undefined)
    await isCalled
    receiver.state.onCall = async () => undefined
    const other = listening(await testApp({ on: t.database, clock, env: INSIDE }))
    await other.deliver()
    const [first, ...early] = receiver.news()
    expect(early).toEqual([])
    clock.advance(MINUTE_MS)
    await other.deliver()
    expect(receiver.news()).toMatchObject([{ id: first?.id, body: first?.body }])
    expect(await our.deliveriesOf(id)).toMatchObject([{ state: 'delivered', tries: 1 }])
    // Its late failure changes nothing of what the other one stored.
    await lost
    expect(await our.deliveriesOf(id)).toMatchObject([{ state: 'delivered', tries: 1 }])
    expect(await our.row(id)).toMatchObject({ failingSince: null, busyUntil: null })
  }, 30_000)

  test('is not held up by an address that hangs, nor by one that drips', async () => {
    const [hanging, dripping] = [await startReceiver(), await startReceiver()]
    hanging.state.answer = () => undefined
    dripping.state.answer = (response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 200)
      response.on('close', () => clearInterval(timer))
    }
    const slow = [await subscriber(hanging.url), await subscriber(dripping.url)]
    for (const { pays } of slow) await pays()
    const { pays } = await subscriber()
    await pays()
    const began = performance.now()
    const whole = our.deliver()
    await expect.poll(() => receiver.received.length, { timeout: 5000 }).toBe(1)
    expect(performance.now() - began).toBeLessThan(5000)
    await whole
    expect(performance.now() - began).toBeLessThan(15_000)
    receiver.news()
    const [hung] = await our.deliveriesOf(slow[0]?.id ?? 0)
    expect(hung).toMatchObject({ state: 'waiting', tries: 1, lastStatus: null })
    expect(hung?.lastAnswer).toContain('did not answer within ten seconds')
    for (const { id } of slow) await t.db.delete(webhooks).where(eq(webhooks.id, id))
  }, 30_000)

  test('reads no more of an answer than it shows, and stores whatever it is', async () => {
    let sent = 0
    receiver.state.answer = (response) => {
      response.writeHead(200)
      const more = () => {
        while (sent < 10 * 2 ** 20) {
          sent += 65_536
          if (!response.write('\0\u202Ex'.repeat(13_107))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    }
    const { pays, id } = await subscriber()
    await pays()
    await our.deliver()
    receiver.takes()
    receiver.news()
    const [row] = await our.deliveriesOf(id)
    expect(row).toMatchObject({ state: 'delivered', lastStatus: 200 })
    expect(row?.lastAnswer?.length).toBeLessThanOrEqual(500)
    expect(row?.lastAnswer).toMatch(/^[\uFFFDx]+$/)
    expect(sent).toBeLessThan(9 * 2 ** 20)
  })

  test('is forgotten after 30 days, and the log says no secret and no address', async () => {
    const { pays, id, secret } = await subscriber()
    await pays()
    await our.deliver()
    receiver.news()
    clock.advance(30 * DAY_MS - 1)
    await our.prune()
    expect(await our.deliveriesOf(id)).toHaveLength(1)
    clock.advance(2)
    await our.prune()
    expect(await our.deliveriesOf(id)).toEqual([])
    const everything = JSON.stringify([
      await t.db.select().from(webhooks),
      await t.db.select().from(auditLog),
    ])
    expect(everything).not.toContain(secret.slice(6))
    expect(everything).not.toContain('127.0.0.1')
  })
})
