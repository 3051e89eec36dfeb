import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { WEBHOOK_EVENTS } from '#shared/rules/people/webhook-events.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { createAudit } from '../audit/audit-log.ts'
import { users } from '../db/schema/accounts.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { webhooks } from '../db/schema/work.ts'
import { type Person, testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { listening } from './testing/listening.ts'

const URL_OF = 'https://example.com/hook'

describe.each(EACH_DATABASE)('events for webhooks, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock, sim: true })
  const our = listening(t)
  const boss = await t.make.admin()
  const all = [...WEBHOOK_EVENTS]
  const ofClients = all.filter((event) => !/^account|disputed|^sign-in/.test(event))

  /** The events of a webhook, as `type server order`. */
  const told = async (id: number) => {
    await our.collect()
    return (await our.deliveriesOf(id)).map(({ body }) => {
      const { type, data } = JSON.parse(body) as {
        type: string
        data: { serverId: number | null; orderId: number | null; by: string }
      }
      return [type, data.serverId, data.orderId, data.by]
    })
  }
  const orderOf = async ({ id: userId }: Person) => {
    const [row] = await t.db
      .insert(orders)
      .values({ userId, planName: 'plan', amountCents: 500 })
      .returning()
    return row?.id ?? 0
  }

  test('reach the owner of a server and the staff, and no other client', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const mine = await our.hook(me, URL_OF, ofClients)
    const theirs = await our.hook(other, URL_OF, ofClients)
    const house = await our.hook(boss, URL_OF, all)
    const { instance, token } = await t.make.owned(t.cluster, 100, me)
    await t.as(me).call(api.instances.stop, { params: { id: instance.id } })
    await our.happens({ action: 'token.renew', target: `token:${token.id}` }, me)
    const order = await orderOf(me)
    await our.happens({ action: 'order.refunded', target: `order:${order}` })
    await our.happens({ action: 'token.assign', target: 'token:0', details: { orderId: order } })
    await our.happens({ action: 'instance.reveal', target: `instance:${instance.id}` }, boss)
    await our.happens({ action: 'instance.suspend', target: `instance:${instance.id}` }, boss)
    const events = [
      ['server.power', instance.id, null],
      ['server.renewed', instance.id, null],
      ['order.refunded', null, order],
      ['server.ready', null, order],
      ['server.suspended', instance.id, null],
    ]
    const by = ['you', 'you', 'system', 'system', 'admin']
    expect(await told(mine.id)).toEqual(events.map((event, n) => [...event, by[n]]))
    expect(await told(theirs.id)).toEqual([])
    const byForStaff = ['client', 'client', 'system', 'system', 'you']
    expect(await told(house.id)).toEqual(events.map((event, n) => [...event, byForStaff[n]]))
    // Ids only: nothing of the server, the account or the payment itself.
    const [first] = await our.deliveriesOf(mine.id)
    expect(Object.keys(JSON.parse(first?.body ?? '') as object)).toEqual([
      'type',
      'timestamp',
      'data',
    ])
    await t.db.delete(webhooks)
  })

  test('of a server that was handed over go to each account for its own time', async () => {
    const [giver, taker] = [await t.make.client(), await t.make.client()]
    const from = await our.hook(giver, URL_OF, ofClients)
    const to = await our.hook(taker, URL_OF, ofClients)
    const { instance, token } = await t.make.owned(t.cluster, 101, giver)
    const target = `instance:${instance.id}`
    await our.happens({ action: 'instance.start', target }, giver)
    await our.happens({ action: 'token.renew', target: `token:${token.id}` }, giver)
    await our.happens({ action: 'instance.handed-over', target, subject: giver.id }, giver)
    await our.happens({ action: 'instance.taken-over', target, subject: taker.id }, taker)
    await t.make.owned(t.cluster, 101, taker)
    await t.db.update(tokens).set({ assignedUserId: taker.id }).where(eq(tokens.id, token.id))
    await our.happens({ action: 'instance.stop', target }, taker)
    // Read only now: what happened before was not the new owner's.
    expect((await told(to.id)).map(([type]) => type)).toEqual(['server.taken-over', 'server.power'])
    expect((await told(from.id)).map(([type]) => type)).toEqual(['server.handed-over'])
    await t.db.delete(webhooks)
  })

  test('are the ones that were chosen, from when the webhook was made', async () => {
    const me = await t.make.client()
    // Because of an older webhook these entries are read for the newer one as well.
    await our.hook(await t.make.client(), URL_OF, ['backup.made'])
    const { instance } = await t.make.owned(t.cluster, 102, me)
    const target = `instance:${instance.id}`
    await our.happens({ action: 'backup.made', target })
    await our.happens({ action: 'instance.backed-up', target })
    const { id } = await our.hook(me, URL_OF, ['backup.made'])
    await our.happens({ action: 'instance.start', target }, me)
    await our.happens({ action: 'instance.backed-up', target })
    expect(await told(id)).toEqual([['backup.made', instance.id, null, 'system']])
    await t.db.delete(webhooks)
  })

  test('of the house are told only to accounts of the staff that may sign in', async () => {
    const helper = await t.make.admin({ role: 'viewer' })
    const { id } = await our.hook(helper, URL_OF, ['account.registered', 'order.paid'])
    await our.happens({ action: 'auth.register', target: `user:${(await t.make.client()).id}` })
    expect(await told(id)).toEqual([['account.registered', null, null, 'system']])
    await t.db.update(users).set({ isActive: false }).where(eq(users.id, helper.id))
    await our.happens({ action: 'auth.register', target: `user:${(await t.make.client()).id}` })
    expect(await told(id)).toHaveLength(1)
    // As if the role had been changed past our own call, which ends the webhook.
    await t.db.update(users).set({ isActive: true, role: 'client' }).where(eq(users.id, helper.id))
    await our.happens({ action: 'auth.register', target: `user:${(await t.make.client()).id}` })
    await our.happens({ action: 'order.paid', target: `order:${await orderOf(boss)}` })
    // Not even of the account itself.
    await our.happens({ action: 'auth.register', target: `user:${helper.id}` })
    expect(await told(id)).toHaveLength(1)
    await t.db.delete(webhooks)
  })

  test('are told each once, also when transactions end in another order than they began', async () => {
    const me = await t.make.client()
    const { id } = await our.hook(me, URL_OF, ['order.paid'])
    const audit = createAudit(clock)
    const entry = { action: 'order.paid', subject: me.id }
    const write = (pause: number) =>
      t.db.transaction(async (tx) => {
        await audit.record(tx, undefined, entry)
        for (let n = 0; n < pause; n += 1) await tx.$count(users)
        await audit.record(tx, undefined, entry)
      })
    let isOver = false
    const reading = (async () => {
      while (!isOver) await our.collect()
    })()
    await Promise.all(Array.from({ length: 20 }, (_, n) => write((20 - n) % 7)))
    isOver = true
    await reading
    await our.collect()
    expect(await told(id)).toHaveLength(40)
    await t.db.delete(webhooks)
  })

  test('say once that a term ends within three days', async () => {
    const me = await t.make.client()
    const { token } = await t.make.owned(t.cluster, 103, me)
    const ends = (ms: number) =>
      t.db
        .update(tokens)
        .set({ expiresAt: new Date(clock.now().getTime() + ms) })
        .where(eq(tokens.id, token.id))
    await ends(3 * DAY_MS + 1000)
    const mine = await our.hook(me, URL_OF, ['server.ending-soon'])
    const house = await our.hook(boss, URL_OF, ['server.ending-soon'])
    const other = await our.hook(await t.make.client(), URL_OF, ['server.ending-soon'])
    const deaf = await our.hook(me, URL_OF, ['order.paid'])
    await our.endingSoon()
    expect(await told(mine.id)).toEqual([])
    clock.advance(1000)
    await our.endingSoon()
    await our.endingSoon()
    const event = [['server.ending-soon', token.assignedInstanceId, null, 'system']]
    expect(await told(mine.id)).toEqual(event)
    expect(await told(house.id)).toEqual(event)
    for (const { id } of [other, deaf]) expect(await told(id)).toEqual([])
    // A renewed term ends once more.
    await ends(2 * DAY_MS)
    await our.endingSoon()
    expect(await told(mine.id)).toHaveLength(2)
  })
})
