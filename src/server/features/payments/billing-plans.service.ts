import { asc, count, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { BillingPlan, BillingPlanCreate } from '#shared/api/money/payments.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { subscriptions } from '../../db/schema/sales.ts'
import { billingPlans, tokens } from '../../db/schema/stock.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type PlanRow = typeof billingPlans.$inferSelect
type PlansDeps = Pick<Deps, 'db'> & { audit: Audit }

/** The prices of recurring payments: a price at Stripe, under a name of ours (O6). */
export function billingPlansService({ db, audit }: PlansDeps) {
  return {
    async list() {
      const rows = await db.select().from(billingPlans).orderBy(asc(billingPlans.id))
      return rows.map(toPlan)
    },

    add: (actor: Actor, { monthlyPrice, ...plan }: z.output<typeof BillingPlanCreate>) =>
      db.transaction(async (tx) => {
        const [row] = await tx
          .insert(billingPlans)
          .values({ ...plan, monthlyPriceCents: parseAmount(monthlyPrice) ?? 0 })
          .returning()
        if (!row) throw new Error('the plan was not stored')
        await audit.record(tx, actor, { action: 'plan.create', target: `plan:${row.id}` })
        return toPlan(row)
      }),

    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const [plan] = await tx
          .select()
          .from(billingPlans)
          .where(eq(billingPlans.id, id))
          .for('update')
        if (!plan) throw notFound('Plan')
        await refuseInUse(tx, plan)
        await tx.delete(billingPlans).where(eq(billingPlans.id, id))
        await audit.record(tx, actor, { action: 'plan.delete', target: `plan:${id}` })
      }),
  }
}

async function refuseInUse(tx: Db, { id, stripePriceId }: PlanRow): Promise<void> {
  const [used] = await tx.select({ of: count() }).from(tokens).where(eq(tokens.billingPlanId, id))
  const [paying] = await tx
    .select({ of: count() })
    .from(subscriptions)
    .where(eq(subscriptions.priceId, stripePriceId ?? ''))
  if (used?.of) throw new AppError('IN_USE', `${used.of} tokens have this plan.`)
  if (paying?.of) throw new AppError('IN_USE', `${paying.of} clients pay by this plan.`)
}

const toPlan = ({ monthlyPriceCents, ...row }: PlanRow): z.input<typeof BillingPlan> => ({
  ...row,
  monthlyPrice: decimal(monthlyPriceCents),
})
