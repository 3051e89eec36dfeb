import { createHash } from 'node:crypto'
import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { Renewing } from '#shared/api/money/payment-methods.ts'
import type { LinkedServer } from '#shared/api/shop/payment-links.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { MONTHS, priceOfMonths } from '#shared/rules/money/months.ts'
import { renewedUntil } from '#shared/rules/token/token-expiry.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { paymentLinks } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { randomId } from '../../lib/random.ts'
import { checkoutOf } from '../../payments/open-checkout.ts'
import { paymentsOf } from '../../payments/payment-rows.ts'
import { readDiscounts } from '../../payments/ways/discounts.ts'
import type { Providers } from '../../payments/ways/providers.ts'
import type { Ways } from '../../payments/ways/ways.ts'
import type { createRenewals } from '../../provisioning/renewals.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'

type LinkDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'keyring' | 'config' | 'log'> & {
  audit: Audit
  providers: Providers
  ways: Ways
  renewals: ReturnType<typeof createRenewals>
}

/** 160 random bits: a plain hash of it cannot be searched. */
const BYTES = 20
const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex')

const pageOf = (code: string): string => `/pay/${code}`

/** Renews one server without signing in. Who has the link can pay, and learns nothing else. */
export function paymentLinksService(deps: LinkDeps) {
  const { db, clock, random, keyring, config, audit, renewals } = deps

  const offersFor = async (token: typeof tokens.$inferSelect) => {
    const discounts = await readDiscounts(db, keyring)
    const now = clock.now()
    return MONTHS.flatMap((months) => {
      if (renewedUntil(token, now, months) === undefined) return []
      const price = decimal(priceOfMonths(token.monthlyPriceCents, months, discounts))
      return [{ months, days: months * token.durationDays, price }]
    })
  }

  return {
    async get(actor: Actor, tokenId: number) {
      await ownToken(db, actor, tokenId)
      const isIt = and(eq(paymentLinks.tokenId, tokenId), eq(paymentLinks.userId, actor.user.id))
      const [link] = await db.select().from(paymentLinks).where(isIt)
      return { createdAt: link?.createdAt ?? null }
    },

    create: (actor: Actor, tokenId: number) =>
      db.transaction(async (tx) => {
        const token = await ownToken(tx, actor, tokenId)
        if (token.monthlyPriceCents === 0) {
          throw new AppError('INVALID_STATE', 'A free trial ends; it cannot be renewed.')
        }
        const code = randomId(random, BYTES)
        const createdAt = clock.now()
        const values = { userId: actor.user.id, codeHash: hashOf(code), createdAt }
        await tx
          .insert(paymentLinks)
          .values({ tokenId, ...values })
          .onConflictDoUpdate({ target: paymentLinks.tokenId, set: values })
        await audit.record(tx, actor, { action: 'payment-link.create', target: `token:${tokenId}` })
        return { url: `${config.publicUrl ?? ''}${pageOf(code)}`, createdAt }
      }),

    remove: (actor: Actor, tokenId: number): Promise<void> =>
      db.transaction(async (tx) => {
        await ownToken(tx, actor, tokenId)
        const ended = await tx
          .delete(paymentLinks)
          .where(eq(paymentLinks.tokenId, tokenId))
          .returning({ tokenId: paymentLinks.tokenId })
        if (ended.length === 0) throw notFound('Payment link')
        await audit.record(tx, actor, { action: 'payment-link.end', target: `token:${tokenId}` })
      }),

    async show(code: string): Promise<z.input<typeof LinkedServer>> {
      const { token, label } = await linked(db, code)
      const [open] = await db
        .select()
        .from(orders)
        .where(
          and(
            eq(orders.tokenId, token.id),
            eq(orders.userId, token.assignedUserId ?? 0),
            eq(orders.kind, 'renewal'),
            eq(orders.status, 'pending'),
          ),
        )
      return {
        label: label ?? token.name,
        plan: token.name,
        currency: 'usd',
        paidUntil: token.expiresAt,
        offers: await offersFor(token),
        open: open
          ? {
              orderId: open.id,
              months: open.months,
              checkout: await checkoutOf(open, await paymentsOf(db, [open.id]), deps),
            }
          : null,
      }
    },

    async pay(code: string, renewing: Renewing) {
      const { token, userId } = await linked(db, code)
      if (renewing.paymentMethod === 'credit') {
        const sentence = 'A payment link does not spend credit. Choose another way to pay.'
        throw new AppError('INVALID_INPUT', sentence)
      }
      const which = { tokenId: token.id, userId }
      const { checkoutUrl } = await renewals.renewByLink(which, renewing, pageOf(code))
      return { checkoutUrl }
    },
  }
}

async function ownToken(db: Db, { user }: Actor, id: number) {
  const isTheirs = and(
    eq(tokens.id, id),
    eq(tokens.assignedUserId, user.id),
    inArray(tokens.status, DELIVERED),
  )
  const [token] = await db.select().from(tokens).where(isTheirs)
  if (!token) throw notFound('Token')
  return token
}

/** The same answer for a code that never was, that was ended, and whose server is gone. */
async function linked(db: Db, code: string) {
  const [row] = await db
    .select({ token: tokens, userId: paymentLinks.userId, label: instances.label })
    .from(paymentLinks)
    .innerJoin(
      tokens,
      and(eq(tokens.id, paymentLinks.tokenId), eq(tokens.assignedUserId, paymentLinks.userId)),
    )
    .innerJoin(instances, eq(instances.id, tokens.assignedInstanceId))
    .where(and(eq(paymentLinks.codeHash, hashOf(code)), inArray(tokens.status, DELIVERED)))
  if (!row) throw notFound('Payment link')
  return row
}
