import { and, asc, eq, gt, isNull, lte, or } from 'drizzle-orm'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { isHeld } from '../../inventory/vm/acts-under-way.ts'
import { moveOrder } from '../../orders/orders.ts'
import { placeOrder } from '../../orders/place-order.ts'
import type { Deps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { isChanging } from '../../tokens/renewal-term.ts'
import type { ChangeJob } from './change-job.ts'
import { beginChange } from './change-state.ts'
import { type NextPackage, nextPackageOf } from './next-package.ts'

/** After a failure the next attempt is begun this much later. */
const RETRY_MS = HOUR_MS

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'jobs'> & {
  audit: Audit
  changePackage: ChangeJob
}

/**
 * Gives servers the packages that their clients chose for the term that has begun. One that is
 * suspended or worked on waits.
 */
export function createNextPackageSweep(deps: SweepDeps) {
  const { db, clock, events, audit } = deps

  const isDue = (now: Date) =>
    and(
      lte(nextPackages.dueAt, now),
      or(
        isNull(nextPackages.triedAt),
        lte(nextPackages.triedAt, new Date(now.getTime() - RETRY_MS)),
        // A clock that ran ahead leaves times in the future.
        gt(nextPackages.triedAt, now),
      ),
    )

  const lock = async (tx: Db, tokenId: number, now: Date) => {
    const isIt = eq(tokens.id, tokenId)
    const [token] = await tx.select().from(tokens).where(isIt).for('update')
    const [instance] = await tx
      .select()
      .from(instances)
      .where(eq(instances.id, token?.assignedInstanceId ?? 0))
      .for('update')
    if (!token || !instance || token.status !== 'assigned') return undefined
    const isAway = instance.suspendedAt !== null || instance.missingSince !== null
    if (isAway || isHeld(instance, now) || (await isChanging(tx, tokenId))) return undefined
    return { token, instance }
  }

  const begin = (tokenId: number) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const held = await lock(tx, tokenId, now)
      const next = held && (await nextPackageOf(tx, tokenId))
      const userId = held?.token.assignedUserId
      if (!held || !next || next.dueAt === null || next.dueAt > now || !userId) return
      const { token, instance } = held
      const { planName, serverName } = next
      await tx.update(nextPackages).set({ triedAt: now }).where(eq(nextPackages.tokenId, tokenId))
      const placed = await placeOrder(tx, freeChange(next, { userId, osType: token.osType }), now)
      const order = await moveOrder(tx, placed, { to: 'paid', now })
      const { name } = instance
      const server = { instanceId: instance.id, tokenId, name, planName, serverName, restart: true }
      await beginChange(tx, order, { ...server, priceCents: token.monthlyPriceCents }, deps)
      await publishTokenChange(tx, events, userId)
      await audit.record(tx, undefined, {
        action: 'instance.package',
        target: `instance:${instance.id}`,
        details: { package: planName, orderId: order.id },
      })
    })

  return async (): Promise<void> => {
    const rows = await db
      .select({ tokenId: nextPackages.tokenId })
      .from(nextPackages)
      .where(isDue(clock.now()))
      .orderBy(asc(nextPackages.dueAt))
    for (const { tokenId } of rows) await begin(tokenId)
  }
}

/** Its term is paid: the change itself costs nothing. */
const freeChange = (
  { tokenId, planId, planName, serverName }: NextPackage,
  owner: { userId: number; osType: string },
) => ({ ...owner, kind: 'change', tokenId, planId, planName, serverName, amountCents: 0 }) as const
