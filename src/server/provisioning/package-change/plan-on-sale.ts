import { and, eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import { sizeInWords } from '#shared/rules/instance/package-size.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { DEFAULT_DAYS } from '#shared/rules/token/token-expiry.ts'
import type { Db } from '../../db/database.ts'
import { packages } from '../../db/schema/sales.ts'

export type Plan = typeof packages.$inferSelect

const NAME_MAX = 100

const TRIAL_DAYS = 7

export const planDays = (name: string): number => (isTrial(name) ? TRIAL_DAYS : DEFAULT_DAYS)

export async function planOnSale(tx: Db, id: string): Promise<Plan> {
  const [plan] = await tx
    .select()
    .from(packages)
    .where(and(eq(packages.id, id), eq(packages.active, true)))
    .for('share')
  if (!plan) throw notFound('Package')
  return plan
}

/** "Medium, 2 CPU, 4 GB RAM, 80 GB SSD": the size must not be truncated. */
export function serverName(plan: Plan): string {
  const size = sizeInWords(plan)
  return `${plan.name.slice(0, NAME_MAX - size.length - 2)}, ${size}`
}
