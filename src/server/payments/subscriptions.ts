import { and, eq, inArray, isNull, notInArray, or } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { ENDED_SUBSCRIPTIONS, subscriptions } from '../db/schema/sales.ts'
import { billingPlans, tokens } from '../db/schema/stock.ts'
import { lockCredit } from '../ledger/credit.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Actor } from '../sessions/actor.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { renewalTerm } from '../tokens/renewal-term.ts'
import type { Recurring, SubscriptionFacts } from './port/recurring.ts'
import { type ChargeDeps, recordCharge } from './subscription-charges.ts'
import type { ReportReader } from './webhook-reports.ts'

export type SubscriptionRow = typeof subscriptions.$inferSelect
/** A subscription whose account exists. */
export type OwnedSubscription = SubscriptionRow & { userId: number }
type TokenRow = typeof tokens.$inferSelect

type SubscriptionDeps = ChargeDeps &
  Pick<Deps, 'db' | 'clock' | 'events'> & {
    config: Pick<Config, 'publicUrl'>
    /** Undefined if no provider can charge without the client. */
    recurring: () => Promise<Recurring | undefined>
  }

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** Servers that renew by card without the client (O6). The state is read from Stripe each time. */
export function createSubscriptions(deps: SubscriptionDeps) {
  const { db, clock, events, audit, config, recurring } = deps

  const service = async (): Promise<Recurring> => {
    const charging = await recurring()
    if (charging) return charging
    throw new AppError('INVALID_STATE', 'Automatic renewal is not offered here.')
  }

  /**
   * Updates our row from Stripe's facts; undefined if the subscription belongs to no client of
   * ours.
   */
  const keep = async (tx: Db, facts: SubscriptionFacts): Promise<OwnedSubscription | undefined> => {
    const { tokenId, userId, ...values } = facts
    if (userId === undefined || tokenId === undefined) return undefined
    // Locks the account before its rows, in the same order as a deletion.
    await lockCredit(tx, userId)
    const [owner] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId))
    if (!owner) return undefined
    const [token] = await tx.select().from(tokens).where(eq(tokens.id, tokenId))
    const now = clock.now()
    const [row] = await tx
      .insert(subscriptions)
      .values({
        ...values,
        userId,
        tokenId: token?.id ?? null,
        instanceId: token?.assignedInstanceId ?? null,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoUpdate({
        target: subscriptions.providerSubscriptionId,
        set: { ...values, updatedAt: now },
      })
      .returning()
    await publishTokenChange(tx, events, userId)
    return row && { ...row, userId }
  }

  const refresh = async (id: string): Promise<string | undefined> => {
    const facts = await (await service()).read(id)
    const row = await db.transaction((tx) => keep(tx, facts))
    return row && `subscription ${row.id}: ${row.status}`
  }

  /** A charge renews the server; if the server no longer exists, the subscription ends. */
  const charged = async (invoiceId: string): Promise<string | undefined> => {
    const charge = await (await service()).charge(invoiceId)
    if (!charge) return undefined
    const facts = await (await service()).read(charge.subscriptionId)
    const outcome = await db.transaction(async (tx) => {
      const row = await keep(tx, facts)
      if (!row) return undefined
      if (charge.paidCents === 0) return { text: `subscription ${row.id}: ${row.status}` }
      const order = await recordCharge(tx, { ...charge, invoiceId, row }, deps)
      return { text: `order ${order.id}: ${order.status}`, isLost: order.status === 'cancelled' }
    })
    const isOurs = facts.tokenId !== undefined
    if (isOurs && (!outcome || outcome.isLost)) await (await service()).end(charge.subscriptionId)
    return outcome?.text ?? (isOurs ? 'a deleted account is charged no more' : undefined)
  }

  return {
    /**
     * Returns the page on which the client agrees; the first term is charged at once and added to
     * the remaining time.
     */
    async subscribe(actor: Actor, tokenId: number): Promise<{ checkoutUrl: string }> {
      const stripe = await service()
      const token = await ownToken(db, actor, tokenId)
      await renewalTerm(db, token, clock.now())
      if (token.autoRenew) {
        const sentence = 'This server is renewed from credit. Turn that off first.'
        throw new AppError('INVALID_STATE', sentence)
      }
      const made = await subscriptionsOf(db, tokenId)
      if (made.some(({ status }) => !ENDED_SUBSCRIPTIONS.includes(status))) {
        throw new AppError('INVALID_STATE', 'This server renews itself already.')
      }
      const key = `subscribe-${tokenId}-${made.length}-${clock.now().toISOString().slice(0, 10)}`
      const checkoutUrl = await stripe.open({
        tokenId,
        userId: actor.user.id,
        priceId: await priceFor(db, token),
        returnUrl: `${config.publicUrl ?? ''}/billing`,
        key,
      })
      return { checkoutUrl }
    },

    async unsubscribe(actor: Actor, id: number): Promise<SubscriptionRow> {
      const [row] = await db
        .select()
        .from(subscriptions)
        .where(and(eq(subscriptions.id, id), eq(subscriptions.userId, actor.user.id)))
      if (!row) throw notFound('Subscription')
      const facts = await (await service()).end(row.providerSubscriptionId)
      return await db.transaction(async (tx) => {
        const kept = await keep(tx, facts)
        if (!kept) throw notFound('Subscription')
        await audit.record(tx, actor, { action: 'subscription.end', target: `subscription:${id}` })
        return kept
      })
    },

    /** Ends the subscriptions of servers that no longer exist. */
    async endUseless(): Promise<void> {
      const charging = await recurring()
      if (!charging) return
      const useless = await db
        .select({ id: subscriptions.providerSubscriptionId })
        .from(subscriptions)
        .leftJoin(tokens, eq(tokens.id, subscriptions.tokenId))
        .where(
          and(
            notInArray(subscriptions.status, ENDED_SUBSCRIPTIONS),
            eq(subscriptions.cancelAtPeriodEnd, false),
            or(isNull(tokens.id), eq(tokens.status, 'cancelled')),
          ),
        )
      for (const { id } of useless) {
        const facts = await charging.end(id)
        await db.transaction(async (tx) => {
          if (await keep(tx, facts)) return
          // The account was deleted: once nothing is charged any more, the row is removed.
          await tx.delete(subscriptions).where(eq(subscriptions.providerSubscriptionId, id))
        })
      }
    },

    /** Reads reports about invoices and subscriptions; ignores those about payments. */
    read: (async ({ provider, type, subject }) => {
      if (provider !== 'stripe' || subject === null || !(await recurring())) return undefined
      if (type === 'invoice.paid' || type === 'invoice.payment_failed') return charged(subject)
      return type.startsWith('customer.subscription.') ? refresh(subject) : undefined
    }) satisfies ReportReader,
  }
}

async function ownToken(db: Db, { user }: Actor, id: number): Promise<TokenRow> {
  const [row] = await db
    .select()
    .from(tokens)
    .where(
      and(
        eq(tokens.id, id),
        eq(tokens.assignedUserId, user.id),
        inArray(tokens.status, ['assigned', 'expired']),
      ),
    )
  if (!row) throw notFound('Token')
  return row
}

const subscriptionsOf = (db: Db, tokenId: number) =>
  db
    .select({ status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.tokenId, tokenId))

/** The price of the token's own package, else of one that costs the same. */
async function priceFor(db: Db, token: TokenRow): Promise<string> {
  const isRight =
    token.billingPlanId === null
      ? eq(billingPlans.monthlyPriceCents, token.monthlyPriceCents)
      : eq(billingPlans.id, token.billingPlanId)
  const plans = await db
    .select({ price: billingPlans.stripePriceId })
    .from(billingPlans)
    .where(and(isRight, eq(billingPlans.isActive, true)))
    .orderBy(billingPlans.id)
  const price = plans.find((plan) => plan.price !== null)?.price
  if (price) return price
  throw new AppError('INVALID_STATE', 'There is no plan to renew this server automatically.')
}
