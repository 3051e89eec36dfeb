import { and, desc, eq, exists, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Order, OrderUpdate } from '#shared/api/shop/orders.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { notAppliedByHand } from '#shared/rules/token/given-by-hand.ts'
import { aboutOrder } from '../../audit/about-order.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { timeline } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { beforeEffect } from '../../db/effect-scope.ts'
import { users } from '../../db/schema/accounts.ts'
import { disputes, orders, payments } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { lockCredit } from '../../ledger/credit.ts'
import { heldIn } from '../../ledger/ledger.ts'
import { dueOf, lockOrder, type OrderRow, serverIdOf, toClientOrder } from '../../orders/orders.ts'
import { openPaymentsOf, paymentsOf, toPayment } from '../../payments/payment-rows.ts'
import type { RefundJob } from '../../payments/refund-job.ts'
import { type RefundTo, returnable, takeable } from '../../payments/refund-order.ts'
import type { Fulfil, Settlement } from '../../payments/settlement.ts'
import type { Providers } from '../../payments/ways/providers.ts'
import type { stopJob } from '../../provisioning/lifecycle/lifecycle-jobs.ts'
import { claimToken } from '../../provisioning/provision/claim-step.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { cancelOrder } from './cancel-order.ts'
import { candidates } from './candidates.ts'
import { checkSize, findServer, type Link, linkServer, loginFor, meet } from './link-server.ts'
import { wishesOf } from './order-wishes.ts'

export type OrdersDeps = Pick<
  Deps,
  'db' | 'clock' | 'events' | 'jobs' | 'hypervisors' | 'random' | 'keyring' | 'log'
> & {
  audit: Audit
  providers: Providers
  settlement: Settlement
  fulfil: Fulfil
  refund: RefundJob
  stop: ReturnType<typeof stopJob>
}

type Update = z.output<typeof OrderUpdate>

export function ordersService(deps: OrdersDeps) {
  const { db, clock, events, audit } = deps

  /** One action on a locked order, with its audit record and its event. */
  const act = (
    actor: Actor,
    id: number,
    action: string,
    work: (tx: Db, order: OrderRow) => Promise<Record<string, unknown> | undefined>,
  ) =>
    db.transaction(async (tx) => {
      // Credit before orders: every transaction locks in this order.
      const { userId } = await orderById(tx, id)
      if (userId !== null) await lockCredit(tx, userId)
      const order = await lockOrder(tx, id)
      const details = await work(tx, order)
      await publishTokenChange(tx, events, order.userId)
      await audit.record(tx, actor, { action, target: `order:${id}`, ...(details && { details }) })
    })

  /** For money that arrived other than through the provider. */
  const markPaid = (actor: Actor, id: number) =>
    act(actor, id, 'order.mark-paid', async (tx, order) => {
      if (order.status !== 'pending') {
        throw new AppError('INVALID_STATE', `This order is ${order.status}, not waiting for money.`)
      }
      const cents = dueOf(order)
      const payment = await manualPayment(tx, order, clock.now())
      const facts = { state: 'paid', receivedCents: cents, refundedCents: 0 } as const
      await deps.settlement.apply(tx, payment.id, facts)
      return { cents }
    })

  const tryAgain = (actor: Actor, id: number) =>
    act(actor, id, 'order.retry', async (tx, order) => {
      if (order.status !== 'paid') {
        throw new AppError(
          'INVALID_STATE',
          `This order is ${order.status}: there is nothing to try.`,
        )
      }
      if (order.kind !== 'package') await claimAgain(tx, order, clock.now())
      const after = await deps.fulfil(tx, order)
      if (after.status === 'paid') {
        throw new AppError('SOLD_OUT', after.failureDetail ?? 'There is still no room for it.')
      }
      return undefined
    })

  const link = async (actor: Actor, id: number, server: Link) => {
    const prepared = await beforeEffect(async () => {
      const order = await orderById(db, id)
      if (order.status !== 'paid') {
        throw new AppError(
          'INVALID_STATE',
          `Only a paid order can be given a VM; it is ${order.status}.`,
        )
      }
      const met = await meet(await findServer(db, server), deps)
      checkSize(order, met, server)
      return { vm: met.vm, login: await loginFor(order, met.vm, server, deps) }
    })
    await act(actor, id, 'order.provision', async (tx, locked) => {
      if (!prepared) throw new Error('a server is linked without being looked at')
      await linkServer(tx, locked, prepared, deps)
      // Only which ones: the log outlives the account, and the choices themselves do not.
      const notApplied = notAppliedByHand(locked.setup ?? {})
      return { vmId: prepared.vm.vmId, ...(notApplied.length > 0 && { notApplied }) }
    })
  }

  const cancel = (actor: Actor, id: number, refund: RefundTo) =>
    act(actor, id, 'order.cancel', async (tx, order) => ({
      refund,
      cents: await cancelOrder(tx, order, refund, deps),
    }))

  return {
    async list(): Promise<z.input<typeof Order>[]> {
      return (await rows(db)).map(toOrder)
    },

    async details(actor: Actor, id: number) {
      const [row] = await rows(db, id)
      if (!row) throw notFound('Order')
      const paid = await paymentsOf(db, [id])
      const money =
        (await heldIn(db, 'held', id)) +
        (row.order.status === 'active' ? await takeable(db, row.order) : 0)
      const byProvider = returnable(paid, await deps.providers.now(db)).length > 0
      return {
        order: toOrder(row),
        wishes: await wishesOf(db, row.order, actor),
        payments: paid.map(toPayment),
        timeline: await timeline(db, actor, aboutOrder(id)),
        refundable: { amount: decimal(money), byProvider },
      }
    },

    async candidates(id: number, nodeId: number) {
      return await candidates(await orderById(db, id), nodeId, deps)
    },

    async update(actor: Actor, id: number, patch: Update): Promise<z.input<typeof Order>> {
      const { assignedNodeId, assignedVmId } = patch
      const server =
        assignedNodeId && assignedVmId ? { ...patch, assignedNodeId, assignedVmId } : undefined
      const status = patch.status ?? (server ? 'active' : undefined)
      switch (status) {
        case 'paid':
          await markPaid(actor, id)
          break
        case 'provisioning':
          await tryAgain(actor, id)
          break
        case 'active':
          if (!server) throw new AppError('INVALID_INPUT', 'Please give a node and a VM ID.')
          await link(actor, id, server)
          break
        case 'cancelled':
          await cancel(actor, id, patch.refund ?? 'credit')
          break
        case 'pending':
          throw new AppError('INVALID_STATE', 'An order cannot go back to pending.')
        case undefined:
          throw new AppError('INVALID_INPUT', 'Please say what is to become of the order.')
      }
      const [row] = await rows(db, id)
      if (!row) throw notFound('Order')
      return toOrder(row)
    },
  }
}

/** The manual payment that is still open, or a new one beside the provider's. */
async function manualPayment(tx: Db, order: OrderRow, now: Date) {
  const open = await openPaymentsOf(tx, order.id)
  const waiting = open.find(({ provider }) => provider === 'manual')
  if (waiting) return waiting
  const [made] = await tx
    .insert(payments)
    .values({
      orderId: order.id,
      provider: 'manual',
      providerPaymentId: `marked-${order.id}`,
      amountCents: dueOf(order),
      currency: order.currency,
      status: 'pending',
      createdAt: now,
      updatedAt: now,
    })
    .returning()
  if (!made) throw new Error('the payment was not stored')
  return made
}

async function claimAgain(tx: Db, order: OrderRow, now: Date): Promise<void> {
  const { tokenId, userId } = order
  const claimed =
    tokenId !== null && userId !== null
      ? await claimToken(tx, eq(tokens.id, tokenId), { userId, now })
      : undefined
  if (!claimed) {
    const sentence = 'Its token is no longer free. Give the client another VM, or cancel the order.'
    throw new AppError('TOKEN_TAKEN', sentence)
  }
}

async function orderById(db: Db, id: number): Promise<OrderRow> {
  const [row] = await db.select().from(orders).where(eq(orders.id, id))
  if (!row) throw notFound('Order')
  return row
}

const openDispute = (db: Db) =>
  db
    .select({ id: disputes.id })
    .from(disputes)
    .innerJoin(payments, eq(payments.id, disputes.paymentId))
    .where(and(eq(payments.orderId, orders.id), eq(disputes.state, 'open')))

const rows = (db: Db, id?: number) =>
  db
    .select({
      order: orders,
      client: users,
      token: { status: tokens.status, instanceId: tokens.assignedInstanceId },
      isDisputed: sql<boolean>`${exists(openDispute(db))}`,
    })
    .from(orders)
    .leftJoin(users, eq(users.id, orders.userId))
    // Not once it was handed over: the order is not that client's.
    .leftJoin(tokens, and(eq(tokens.id, orders.tokenId), eq(tokens.assignedUserId, orders.userId)))
    .where(id === undefined ? undefined : eq(orders.id, id))
    .orderBy(desc(orders.id))

const toOrder = ({
  order,
  client,
  token,
  isDisputed,
}: Awaited<ReturnType<typeof rows>>[number]): z.input<typeof Order> => ({
  ...toClientOrder(order, token?.status ?? null),
  failure: order.failureDetail ?? order.failure,
  userId: order.userId,
  clientName: client && userName(client),
  planId: order.planId,
  tokenId: order.tokenId,
  instanceId: serverIdOf(order, token),
  nextBillingAt: order.nextBillingAt,
  isDisputed,
  updatedAt: order.updatedAt,
})
