import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { ClientOrder, OrderKind, OrderStatus } from '#shared/api/shop/orders.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { type Cents, decimal } from '#shared/rules/money/money.ts'
import { type OrderMover, orderRefusal, ordersBefore } from '#shared/rules/money/order-status.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'

export type OrderRow = typeof orders.$inferSelect

type Move = {
  to: OrderStatus
  now: Date
  by?: OrderMover
  /** Moves the order only if it belongs to this job. */
  ofJob?: string
  /** How much of a cancelled order's money stays held until the provider sends it back. */
  keepHeld?: Cents
  values?: Partial<
    Pick<OrderRow, 'failure' | 'failureDetail' | 'jobId' | 'assignedNodeId' | 'assignedVmId'>
  > &
    Partial<Pick<OrderRow, 'trialEndsAt' | 'nextBillingAt' | 'tokenId' | 'lapsedAt'>> &
    Partial<Pick<OrderRow, 'answeredAt' | 'answeredBy' | 'hostKey' | 'returnedAt'>>
}

/** Where the money of a delivered order belongs: a top-up delivers the money itself. */
export const accountOf = ({ kind }: { kind: OrderKind }): 'earned' | 'credit' =>
  kind === 'top-up' ? 'credit' : 'earned'

/** From here on the client's user data is of no use. */
const ENDS: OrderStatus[] = ['active', 'cancelled']
const WITHOUT_USER_DATA = sql`nullif(${orders.setup} - 'userData', '{}'::jsonb)`

/**
 * A coupon is used when its order is paid. An order that ends before it is delivered gives the use
 * back; one that was delivered has used it for good, also if its money goes back.
 */
const COUPON_USE_AFTER: Partial<Record<OrderStatus, SQL>> = {
  paid: sql`case when ${orders.couponUse} is null then null else 'used' end`,
  cancelled: sql`case when ${orders.couponUse} is null then null
    when ${orders.status} = 'active' then ${orders.couponUse} else 'returned' end`,
}

/**
 * The only function that changes an order's state; a move that the table (O2) does not allow fails.
 * The money moves with it: on delivery to where the kind of order says, to the client's credit if
 * the order will not be delivered. Returns the caller's row with the changes; the caller must hold the row's lock to rely
 * on it.
 */
export async function moveOrder<Known extends Pick<OrderRow, 'id'>>(
  tx: Db,
  order: Known,
  move: Move,
): Promise<Known> {
  const { id } = order
  const { to, now, by = 'system', values = {} } = move
  const couponUse = COUPON_USE_AFTER[to]
  // The network an order came from is kept only while it is unpaid.
  const changes = {
    ...values,
    network: null,
    updatedAt: now,
    ...(to === 'provisioning' && { beganAt: now, answerByMs: null }),
  }
  const [row] = await tx
    .update(orders)
    .set({
      ...changes,
      status: to,
      ...(couponUse && { couponUse }),
      ...(ENDS.includes(to) && { setup: WITHOUT_USER_DATA }),
    })
    .where(
      and(
        eq(orders.id, id),
        inArray(orders.status, ordersBefore(to, by)),
        move.ofJob === undefined ? undefined : eq(orders.jobId, move.ofJob),
      ),
    )
    .returning({ id: orders.id, userId: orders.userId, kind: orders.kind })
  if (!row) throw await refusal(tx, id, to, by)
  await followWithMoney(tx, row, move)
  return { ...order, ...changes, status: to }
}

async function followWithMoney(
  tx: Db,
  order: Pick<OrderRow, 'id' | 'userId' | 'kind'>,
  { to, now, keepHeld = 0 }: Move,
) {
  if (to !== 'active' && to !== 'cancelled') return
  const held = await heldIn(tx, 'held', order.id)
  await transfer(tx, {
    from: 'held',
    to: to === 'active' ? accountOf(order) : 'credit',
    cents: Math.max(0, held - keepHeld),
    userId: order.userId,
    orderId: order.id,
    reason: to === 'active' ? 'delivered' : 'not delivered',
    at: now,
  })
}

async function refusal(tx: Db, id: number, to: OrderStatus, by: OrderMover): Promise<AppError> {
  const [found] = await tx.select().from(orders).where(eq(orders.id, id))
  if (!found) return notFound('Order')
  const reason = orderRefusal(found.status, to, by)
  return new AppError('INVALID_STATE', reason ?? 'Another job works on this order.')
}

/** Locks an order until the end of the transaction. Required before deciding by its state. */
export async function lockOrder(tx: Db, id: number): Promise<OrderRow> {
  const [order] = await tx.select().from(orders).where(eq(orders.id, id)).for('update')
  if (!order) throw notFound('Order')
  return order
}

/** The price of the order without its coupon: what a later term costs. */
export const fullPriceOf = (order: Pick<OrderRow, 'amountCents' | 'discountCents'>): Cents =>
  order.amountCents + order.discountCents

export const dueOf = (order: Pick<OrderRow, 'amountCents' | 'creditCents'>): Cents =>
  order.amountCents - order.creditCents

/** A delivered order outlives its server: a deleted token counts as ended. */
function serverOf({ status, kind }: OrderRow, token: string | null): ClientOrder['server'] {
  if (status !== 'active' || kind === 'top-up') return null
  if (token === 'assigned') return 'current'
  return token === 'expired' ? 'expired' : 'ended'
}

type TokenOfOrder = { status: string; instanceId: number | null } | null

/** Only while it can be ended through this order. */
export const serverIdOf = ({ status }: OrderRow, token: TokenOfOrder): number | null =>
  status === 'active' && (token?.status === 'assigned' || token?.status === 'expired')
    ? token.instanceId
    : null

/** The token of each of these orders; null if it was deleted or is another account's. */
export async function tokensOf(db: Db, rows: readonly OrderRow[]) {
  const ids = rows.flatMap(({ tokenId }) => tokenId ?? [])
  const found =
    ids.length === 0
      ? []
      : await db
          .select({
            id: tokens.id,
            status: tokens.status,
            instanceId: tokens.assignedInstanceId,
            ownerId: tokens.assignedUserId,
          })
          .from(tokens)
          .where(inArray(tokens.id, ids))
  const byId = new Map(found.map((token) => [token.id, token]))
  return ({ tokenId, userId }: OrderRow): TokenOfOrder => {
    const token = byId.get(tokenId ?? 0)
    return token?.ownerId === userId ? token : null
  }
}

const answerOf = ({ answeredAt, answeredBy, hostKey }: OrderRow) =>
  answeredAt && answeredBy && { by: answeredBy, hostKey, at: answeredAt }

/** Includes the state of the order's token, if it has one. */
export const toClientOrder = (
  row: OrderRow,
  tokenStatus: string | null = 'assigned',
): z.input<typeof ClientOrder> => ({
  id: row.id,
  planName: row.planName,
  osType: row.osType,
  amount: decimal(row.amountCents),
  coupon: row.coupon,
  discount: decimal(row.discountCents),
  currency: row.currency,
  months: row.months,
  status: row.status,
  createdAt: row.createdAt,
  trialEndsAt: row.trialEndsAt,
  assignedNodeId: row.assignedNodeId,
  assignedVmId: row.assignedVmId,
  kind: row.kind,
  credit: decimal(row.creditCents),
  payBy: row.status === 'pending' ? row.payBy : null,
  failure: row.failure,
  beganAt: row.status === 'provisioning' && row.kind !== 'change' ? row.beganAt : null,
  answer: answerOf(row),
  server: serverOf(row, tokenStatus),
})
