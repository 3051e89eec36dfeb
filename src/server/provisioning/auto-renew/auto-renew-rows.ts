import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { AUTO_RENEW_DAYS } from '#shared/rules/money/credit-lasts.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'

export const daysAhead = (now: Date, days: number): Date => new Date(now.getTime() + days * DAY_MS)

/** True from three days before its end on, and in its grace period. */
export const isDue = ({ expiresAt }: Pick<TokenRow, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && expiresAt <= daysAhead(now, AUTO_RENEW_DAYS)

/** The posting that pays one period of one server: a second one is refused by the ledger. */
export const periodKey = ({ id, expiresAt }: Pick<TokenRow, 'id' | 'expiresAt'>): string =>
  `auto-renew:${id}:${expiresAt?.toISOString() ?? ''}`

/**
 * Servers that are renewed from credit, the first to end first. No money is taken for one that is
 * suspended: it is switched off.
 */
export const renewing = (db: Db, which?: SQL) =>
  db
    .select({ token: tokens, label: instances.label, suspendedAt: instances.suspendedAt })
    .from(tokens)
    .innerJoin(instances, eq(instances.id, tokens.assignedInstanceId))
    .where(
      and(
        eq(tokens.autoRenew, true),
        inArray(tokens.status, DELIVERED),
        gt(tokens.monthlyPriceCents, 0),
        isNull(instances.suspendedAt),
        which,
      ),
    )
    .orderBy(asc(tokens.expiresAt), asc(tokens.id))

/** The owner's credit, in a query over tokens. */
export const ownersCredit = sql<number>`(select -coalesce(sum(l.amount_cents), 0)::int from ledger l
  where l.account = 'credit' and l.user_id = ${tokens.assignedUserId})`
