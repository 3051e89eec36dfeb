import { and, asc, desc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import {
  type ownWebhooks,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookWish,
} from '#shared/api/people/own-webhooks.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { eventsFor } from '#shared/rules/people/webhook-events.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { webhookDeliveries, webhooks } from '../../db/schema/work.ts'
import { randomId } from '../../lib/random.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { lastEntry } from '../../webhooks/collect-events.ts'
import { switchOff } from '../../webhooks/deliver-webhooks.ts'
import { newDelivery } from '../../webhooks/new-delivery.ts'
import { addressRefusal } from '../../webhooks/webhook-reach.ts'
import {
  newSecret,
  oldSecretUntil,
  openContent,
  sealContent,
  type WebhookRow,
  withNewSecret,
} from '../../webhooks/webhook-store.ts'

type WebhooksDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'keyring' | 'config'> & { audit: Audit }
type Wish = z.output<typeof WebhookWish>
type Change = z.output<typeof ownWebhooks.update.body>
type DeliveryRow = typeof webhookDeliveries.$inferSelect

const LOG_MAX = 100

/** Where an account wants to be told what happens. */
export function webhooksService(deps: WebhooksDeps) {
  const { db, clock, random, keyring, audit } = deps

  const view = (row: WebhookRow): z.input<typeof Webhook> => {
    const content = openContent(keyring, row)
    return { ...row, url: content.url, oldSecretUntil: oldSecretUntil(content, clock.now()) }
  }

  const check = async ({ user }: Actor, { url, events }: Wish): Promise<void> => {
    const refusal = await addressRefusal(url, deps)
    if (refusal !== undefined) {
      throw new AppError('INVALID_INPUT', refusal, { details: [{ path: 'url', message: refusal }] })
    }
    const allowed = eventsFor(isStaffRole(user.role))
    const strange = events.find((event) => !allowed.includes(event))
    if (strange === undefined) return
    throw new AppError('INVALID_INPUT', `Only the staff is told of ${strange}.`)
  }

  const record = (tx: Db, actor: Actor, action: string) =>
    audit.record(tx, actor, { action: `account.${action}`, target: `user:${actor.user.id}` })

  /** Changes one's own webhook under its lock, with an entry in the log. */
  const change = <T>(
    actor: Actor,
    id: number,
    action: string,
    work: (tx: Db, row: WebhookRow) => Promise<T>,
  ): Promise<T> =>
    db.transaction(async (tx) => {
      const result = await work(tx, await own(tx, actor, id))
      await record(tx, actor, action)
      return result
    })

  return {
    async list({ user }: Actor) {
      const rows = await db
        .select()
        .from(webhooks)
        .where(eq(webhooks.userId, user.id))
        .orderBy(asc(webhooks.id))
      return rows.map(view)
    },

    async create(actor: Actor, wish: Wish) {
      await check(actor, wish)
      const uid = randomId(random)
      const secret = newSecret(random)
      // From the transaction's result: a repeated call must return the secret that was stored.
      return await db.transaction(async (tx) => {
        await requireRoom(tx, actor.user.id)
        const [row] = await tx
          .insert(webhooks)
          .values({
            uid,
            userId: actor.user.id,
            sealed: sealContent(keyring, uid, { url: wish.url, secret }),
            events: wish.events,
            sinceId: await lastEntry(tx),
            createdAt: clock.now(),
          })
          .returning()
        if (!row) throw new Error('the webhook was not stored')
        await record(tx, actor, 'add-webhook')
        return { ...view(row), secret }
      })
    },

    async update(actor: Actor, id: number, { isOn, ...wish }: Change) {
      await check(actor, wish)
      return await change(actor, id, 'change-webhook', async (tx, row) => {
        if (!isOn) await switchOff(tx, id, null)
        const isNewlyOn = isOn && !row.isOn
        const fresh = { sinceId: await lastEntry(tx), failingSince: null, pausedUntil: null }
        const content = { ...openContent(keyring, row), url: wish.url }
        const [changed] = await tx
          .update(webhooks)
          .set({
            sealed: sealContent(keyring, row.uid, content),
            events: wish.events,
            isOn,
            offReason: null,
            ...(isNewlyOn && fresh),
          })
          .where(eq(webhooks.id, id))
          .returning()
        return view(changed ?? row)
      })
    },

    remove: (actor: Actor, id: number): Promise<void> =>
      change(actor, id, 'remove-webhook', async (tx) => {
        await tx.delete(webhooks).where(eq(webhooks.id, id))
      }),

    async deliveries(actor: Actor, id: number) {
      const row = await own(db, actor, id)
      const rows = await db
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.webhookId, row.id))
        .orderBy(desc(webhookDeliveries.id))
        .limit(LOG_MAX)
      return rows.map(deliveryView)
    },

    redeliver: (actor: Actor, id: number, deliveryId: number): Promise<void> =>
      db.transaction(async (tx) => {
        requireOn(await own(tx, actor, id))
        const [row] = await tx
          .update(webhookDeliveries)
          .set({ state: 'waiting', tries: 0, nextAt: clock.now() })
          .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, id)))
          .returning({ id: webhookDeliveries.id })
        if (!row) throw notFound('Delivery')
        await tx.update(webhooks).set({ pausedUntil: null }).where(eq(webhooks.id, id))
      }),

    test: (actor: Actor, id: number) =>
      db.transaction(async (tx) => {
        const webhook = await own(tx, actor, id)
        requireOn(webhook)
        const now = clock.now()
        const eventKey = `test:${randomId(random)}`
        const news = { webhookId: webhook.id, eventKey, type: 'test', at: now, data: {}, now }
        const [row] = await tx
          .insert(webhookDeliveries)
          .values(newDelivery(random, news))
          .returning()
        if (!row) throw new Error('the delivery was not stored')
        await tx.update(webhooks).set({ pausedUntil: null }).where(eq(webhooks.id, id))
        return deliveryView(row)
      }),

    async replaceSecret(actor: Actor, id: number) {
      const secret = newSecret(random)
      return await change(actor, id, 'replace-webhook-secret', async (tx, row) => {
        const content = withNewSecret(openContent(keyring, row), secret, clock.now())
        const sealed = sealContent(keyring, row.uid, content)
        await tx.update(webhooks).set({ sealed }).where(eq(webhooks.id, id))
        return { ...view({ ...row, sealed }), secret }
      })
    },
  }
}

async function own(tx: Db, { user }: Actor, id: number): Promise<WebhookRow> {
  const [row] = await tx
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.userId, user.id)))
    .for('update')
  if (!row) throw notFound('Webhook')
  return row
}

function requireOn({ isOn }: WebhookRow): void {
  if (!isOn) throw new AppError('INVALID_STATE', 'The webhook is off. Switch it on first.')
}

/** Two webhooks that are made at once are counted one after the other. */
async function requireRoom(tx: Db, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
  if ((await tx.$count(webhooks, eq(webhooks.userId, userId))) < WEBHOOKS_MAX) return
  const message = `An account has at most ${WEBHOOKS_MAX} webhooks. Remove one that you no longer use.`
  throw new AppError('CONFLICT', message)
}

const deliveryView = (row: DeliveryRow): z.input<typeof ownWebhooks.test.response> => ({
  ...row,
  nextAt: row.state === 'waiting' ? row.nextAt : null,
  payload: row.body,
})
