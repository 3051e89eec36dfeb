import { and, asc, eq, exists, gt, inArray, isNull, lte } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { disputes, orders, payments } from '../../../db/schema/sales.ts'
import { instances, tokens } from '../../../db/schema/stock.ts'
import { maySetPassword } from '../../../inventory/clusters/guest-passwords.ts'
import { DELIVERED } from '../../../tokens/token-rows.ts'
import { found, pathTo, plural, type Watch } from './watch.ts'

/** Clients are reminded to renew at the same time. */
const EXPIRING_DAYS = 7
/** With fewer tokens on sale than this, the stock counts as low. */
const LOW_STOCK = 3

const orderPath = ({ id }: { id: number }) => `/orders?order=${id}`

export const paidOrders: Watch = async ({ db }) => {
  const list = await db
    .select({ id: orders.id })
    .from(orders)
    .where(eq(orders.status, 'paid'))
    .orderBy(asc(orders.id))
  const message = `${plural(list.length, 'paid order waits', 'paid orders wait')} to be provisioned`
  const path = pathTo(list, orderPath, '/orders?show=paid')
  return found({ kind: 'paid-orders', tone: 'warn', message, path }, list)
}

/** Payments that no provider reports: an operator has to confirm that the money arrived. */
export const unconfirmedOrders: Watch = async ({ db }) => {
  const isByHand = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orders.id), eq(payments.provider, 'manual')))
  const list = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.status, 'pending'), exists(isByHand)))
    .orderBy(asc(orders.id))
  const message = `${plural(list.length, 'order waits', 'orders wait')} for you to confirm the payment`
  const path = pathTo(list, orderPath, '/orders?show=unpaid')
  return found({ kind: 'unconfirmed-orders', tone: 'warn', message, path }, list)
}

/** A payer's bank asks for money back: the operator responds at the provider. */
export const disputedPayments: Watch = async ({ db }) => {
  const list = await db
    .selectDistinct({ id: orders.id })
    .from(disputes)
    .innerJoin(payments, eq(payments.id, disputes.paymentId))
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .where(eq(disputes.state, 'open'))
    .orderBy(asc(orders.id))
  const message = `${plural(list.length, 'payment is', 'payments are')} disputed by the payer’s bank`
  const path = pathTo(list, orderPath, '/orders?show=disputed')
  return found({ kind: 'disputed-payments', tone: 'warn', message, path }, list)
}

/** A dispute was lost: the operator ends the server, or resumes it. */
export const suspendedByDispute: Watch = async ({ db }) => {
  const list = await db
    .select({ id: instances.id })
    .from(instances)
    .innerJoin(tokens, eq(tokens.assignedInstanceId, instances.id))
    .where(and(eq(instances.suspendCause, 'dispute'), inArray(tokens.status, DELIVERED)))
    .orderBy(asc(instances.id))
  const message = `${plural(list.length, 'server is', 'servers are')} suspended after a lost dispute`
  const path = pathTo(
    list,
    ({ id }) => `/proxmox-manager?resource=instance-${id}`,
    '/instances?show=suspended',
  )
  return found({ kind: 'lost-disputes', tone: 'bad', message, path }, list)
}

export const tokensExpiring: Watch = async ({ db, clock }) => {
  const now = clock.now()
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS)
  const list = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(
      and(eq(tokens.status, 'assigned'), gt(tokens.expiresAt, now), lte(tokens.expiresAt, soon)),
    )
  const message = `${plural(list.length, 'token expires', 'tokens expire')} within ${EXPIRING_DAYS} days`
  const path = '/tokens?show=expiring'
  return found({ kind: 'tokens-expiring', tone: 'warn', message, path }, list)
}

/**
 * A server is never handed over with the password its operator knows: reported before a sale fails.
 */
export const readyWithoutPassword: Watch = async ({ db, hypervisors }) => {
  const rows = await db
    .select({ id: tokens.id, clusterId: instances.clusterId, vmId: instances.vmId })
    .from(tokens)
    .innerJoin(instances, eq(instances.id, tokens.instanceId))
    .where(and(inArray(tokens.status, ['ready', 'available']), isNull(tokens.assignedUserId)))
  const list = rows.filter((row) => maySetPassword(row, hypervisors) === false)
  const message = `${plural(list.length, 'ready server', 'ready servers')} cannot be sold: the account may not set passwords in guests`
  const path = pathTo(list, ({ id }) => `/tokens?id=${id}`, '/tokens?show=not-sellable')
  return found({ kind: 'ready-without-password', tone: 'warn', message, path }, list)
}

export const stockLow: Watch = async ({ db }) => {
  const list = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(inArray(tokens.status, ['ready', 'available']), isNull(tokens.assignedUserId)))
    .limit(LOW_STOCK)
  const { length: count } = list
  if (count >= LOW_STOCK) return undefined
  const message =
    count === 0
      ? 'No tokens are for sale'
      : `Only ${plural(count, 'token is', 'tokens are')} for sale`
  return { kind: 'stock-low', tone: 'warn', count, message, path: '/tokens?show=for-sale' }
}
