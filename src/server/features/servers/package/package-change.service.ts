import { asc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { PackageChange, PackageChoices } from '#shared/api/shop/package-change.ts'
import { AppError } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Audit } from '../../../audit/audit-log.ts'
import type { Db } from '../../../db/database.ts'
import { packages } from '../../../db/schema/sales.ts'
import { creditOf, lockCredit } from '../../../ledger/credit.ts'
import { packageIdOf } from '../../../orders/package-of-server.ts'
import { placeOrder } from '../../../orders/place-order.ts'
import type { Checkouts } from '../../../payments/checkouts.ts'
import { freeRooms } from '../../../provisioning/allocation/capacity.ts'
import type { ChangeJob } from '../../../provisioning/package-change/change-job.ts'
import { beginChange } from '../../../provisioning/package-change/change-state.ts'
import { changeTerms } from '../../../provisioning/package-change/change-terms.ts'
import { dropNext, planNext } from '../../../provisioning/package-change/next-package.ts'
import {
  type Plan,
  planOnSale,
  serverName,
} from '../../../provisioning/package-change/plan-on-sale.ts'
import type { Deps } from '../../../runtime/deps.ts'
import type { Actor } from '../../../sessions/actor.ts'
import { publishTokenChange } from '../../../tokens/publish-token-change.ts'
import { CHANGING, isChanging } from '../../../tokens/renewal-term.ts'
import { lockServer, type OwnedServer, withToken } from '../locked-server.ts'
import { serverRow } from '../server-row.ts'
import { plannedView, serverView, type ViewDeps } from '../server-view.ts'

type ChangeDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs' | 'hypervisors'> & {
    audit: Audit
    checkouts: Checkouts
    changePackage: ChangeJob
  }

type Wanted = z.output<typeof PackageChange>
type Begun = { jobId: string | null; from: Date }

/** Another package for a server of a client. */
export function packageChangeService(deps: ChangeDeps) {
  const { db, clock, events, hypervisors, audit, checkouts } = deps

  const serverToChange = async (tx: Db, row: OwnedServer) => ({
    token: row.token,
    planId: await packageIdOf(tx, row.token.id),
    planned: row.next,
    rooms: (await freeRooms(tx, hypervisors)).filter(({ nodeId }) => nodeId === row.nodeId),
  })

  const record = async (tx: Db, actor: Actor, id: number, action: string, details: object) => {
    await publishTokenChange(tx, events, actor.user.id)
    await audit.record(tx, actor, { action, target: `instance:${id}`, details: { ...details } })
  }

  /** Paid from credit, and begun in the same transaction. */
  const changeNow = async (
    tx: Db,
    actor: Actor,
    {
      row,
      plan,
      nowCents,
      restart,
    }: { row: OwnedServer; plan: Plan } & Pick<Wanted, 'restart'> & {
        nowCents: number
      },
  ): Promise<Begun> => {
    const { id: instanceId, name, token } = row
    const now = clock.now()
    const sold = { planName: plan.name, serverName: serverName(plan), tokenId: token.id }
    const placed = await placeOrder(
      tx,
      {
        ...sold,
        userId: actor.user.id,
        kind: 'change',
        planId: plan.id,
        osType: token.osType,
        amountCents: nowCents,
      },
      now,
    )
    const details = { package: plan.name, orderId: placed.id }
    const entry = { action: 'instance.package', target: `instance:${instanceId}`, details }
    const payer = { key: actor.key, paymentMethod: 'credit', placed: { by: actor, entry } }
    const order = await checkouts.pay(tx, placed, payer)
    const server = { ...sold, instanceId, name, priceCents: plan.priceCents, restart }
    const jobId = await beginChange(tx, order, server, deps)
    await publishTokenChange(tx, events, actor.user.id)
    return { jobId, from: now }
  }

  return {
    async choices(actor: Actor, id: number): Promise<z.input<typeof PackageChoices>> {
      const row = await serverRow(db, actor, id)
      const { why } = serverView(row, actor, deps).can.changePackage
      const server = row.token && (await serverToChange(db, withToken(row)))
      const plans = await db
        .select()
        .from(packages)
        .where(eq(packages.active, true))
        .orderBy(asc(packages.priceCents), asc(packages.name))
      const now = clock.now()
      return {
        packages: plans.flatMap((plan) => {
          if (!server) return []
          const { preview, refusal, size } = changeTerms(server, plan, now)
          const { id, name, priceCents } = plan
          const price = decimal(priceCents)
          return [{ id, name, price, size, preview, refusal: why ?? refusal ?? null }]
        }),
        planned: row.next && plannedView(row.next, decimal(row.token?.monthlyPriceCents ?? 0)),
        credit: decimal(await creditOf(db, actor.user.id)),
      }
    },

    async preview(actor: Actor, id: number, packageId: string) {
      const row = await serverRow(db, actor, id)
      const { why } = serverView(row, actor, deps).can.changePackage
      if (why !== null) throw new AppError('INVALID_STATE', why)
      const plan = await planOnSale(db, packageId)
      const { preview, refusal } = changeTerms(
        await serverToChange(db, withToken(row)),
        plan,
        clock.now(),
      )
      if (refusal !== undefined) throw new AppError('INVALID_STATE', refusal)
      return preview
    },

    change: (actor: Actor, id: number, { packageId, restart }: Wanted): Promise<Begun> =>
      db.transaction(async (tx) => {
        // Credit before orders and tokens: every transaction locks in this order.
        await lockCredit(tx, actor.user.id)
        const row = await lockServer(tx, { actor, id, act: 'changePackage' }, deps)
        if (await isChanging(tx, row.token.id)) throw new AppError('INVALID_STATE', CHANGING)
        const plan = await planOnSale(tx, packageId)
        const now = clock.now()
        const terms = changeTerms(await serverToChange(tx, row), plan, now)
        if (terms.refusal !== undefined) throw new AppError('INVALID_STATE', terms.refusal)
        if (terms.preview.time === 'at-once') {
          return await changeNow(tx, actor, { row, plan, nowCents: terms.nowCents, restart })
        }
        await planNext(tx, row.token, plan, now)
        await record(tx, actor, id, 'instance.package-planned', { package: plan.name })
        return { jobId: null, from: terms.preview.from }
      }),

    /** Gives up what is planned for the next term. */
    keep: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        await lockCredit(tx, actor.user.id)
        const row = withToken(await serverRow(tx, actor, id))
        if (row.next === null) return
        if (row.transfer.hasOpenRenewal) {
          const sentence =
            'A renewal at the price of the planned package is not paid yet. Cancel it in Billing first.'
          throw new AppError('INVALID_STATE', sentence)
        }
        const dropped = await dropNext(tx, row.token.id)
        if (!dropped) throw new AppError('INVALID_STATE', PAID)
        await record(tx, actor, id, 'instance.package-kept', { package: dropped.planName })
      }),
  }
}

const PAID =
  'The next term is paid at the price of the planned package. Choose another one when it has begun.'
