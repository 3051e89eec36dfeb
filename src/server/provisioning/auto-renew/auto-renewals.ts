import { and, eq, inArray, notInArray } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { creditLasts, renewsAt } from '#shared/rules/money/credit-lasts.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { ENDED_SUBSCRIPTIONS, subscriptions } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'
import { periodKey, renewing } from './auto-renew-rows.ts'

type AutoRenewalDeps = Pick<Deps, 'db' | 'clock' | 'events'> & { audit: Audit }

/** The owner's switch, and how long the credit lasts with it. */
export function createAutoRenewals({ db, clock, events, audit }: AutoRenewalDeps) {
  return {
    async set(actor: Actor, tokenId: number, enabled: boolean) {
      return await db.transaction(async (tx) => {
        const token = await ownToken(tx, actor, tokenId)
        if (enabled) await refuseImpossible(tx, token)
        await tx.update(tokens).set({ autoRenew: enabled }).where(eq(tokens.id, tokenId))
        await publishTokenChange(tx, events, actor.user.id)
        const action = `token.auto-renew-${enabled ? 'on' : 'off'}`
        await audit.record(tx, actor, { action, target: `token:${tokenId}` })
        const next = enabled && token.expiresAt ? renewsAt(token.expiresAt) : null
        return { enabled, renewsAt: next }
      })
    },

    /** Until when the credit renews every server that has the switch on; null: no end in sight. */
    async lasts(userId: number) {
      const rows = await renewing(db, eq(tokens.assignedUserId, userId))
      const servers = rows.flatMap(({ token: { id, expiresAt, ...token } }) =>
        expiresAt === null
          ? []
          : [
              {
                id,
                price: token.monthlyPriceCents,
                endsAt: expiresAt,
                durationDays: token.durationDays,
              },
            ],
      )
      const end = creditLasts(servers, await creditOf(db, userId), clock.now())
      if (!end) return null
      const row = rows.find(({ token }) => token.id === end.id)
      return {
        until: end.until,
        name: row?.label ?? row?.token.name ?? '',
        missing: decimal(end.missing),
      }
    },
  }
}

export type AutoRenewals = ReturnType<typeof createAutoRenewals>

async function ownToken(tx: Db, { user }: Actor, id: number): Promise<TokenRow> {
  const isTheirs = and(
    eq(tokens.id, id),
    eq(tokens.assignedUserId, user.id),
    inArray(tokens.status, DELIVERED),
  )
  const [token] = await tx.select().from(tokens).where(isTheirs).for('update')
  if (!token) throw notFound('Token')
  return token
}

async function refuseImpossible(tx: Db, token: TokenRow): Promise<void> {
  if (token.monthlyPriceCents === 0) {
    throw new AppError('INVALID_STATE', 'A free trial ends; it cannot be renewed.')
  }
  const [paid] = await tx
    .select({ id: ledger.id })
    .from(ledger)
    .where(eq(ledger.key, periodKey(token)))
  if (paid) {
    const sentence = 'Its last renewal from credit was taken back. Renew it once by hand first.'
    throw new AppError('INVALID_STATE', sentence)
  }
  const [byCard] = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.tokenId, token.id),
        eq(subscriptions.cancelAtPeriodEnd, false),
        notInArray(subscriptions.status, ENDED_SUBSCRIPTIONS),
      ),
    )
  if (byCard) {
    throw new AppError('INVALID_STATE', 'This server is renewed by card. Turn that off first.')
  }
}
