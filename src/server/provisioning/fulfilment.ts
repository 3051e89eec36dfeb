import { and, eq } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { moveOrder, type OrderRow } from '../orders/orders.ts'
import { hasKeys } from '../orders/server-setup.ts'
import type { Fulfil } from '../payments/settlement.ts'
import type { Deps } from '../runtime/deps.ts'
import { freshPassword } from '../tokens/fresh-password.ts'
import { extendToken } from '../tokens/renewal-term.ts'
import type { TokenRow } from '../tokens/token-rows.ts'
import type { startJob } from './lifecycle/lifecycle-jobs.ts'
import { markDue } from './package-change/next-package.ts'
import { prepareToken } from './package-server.ts'
import type { ProvisionJob } from './provision/provision-job.ts'

export type FulfilmentDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'keyring' | 'hypervisors' | 'jobs' | 'log'
> & { audit: Audit; provision: ProvisionJob; start: ReturnType<typeof startJob> }

/** Delivers a paid order: a server, more time for one, credit, or a place on the admin's list. */
export function createFulfilment(deps: FulfilmentDeps): Fulfil {
  return async (tx, order) => {
    switch (order.kind) {
      case 'renewal':
        return await prolong(tx, order, deps)
      case 'package':
        return await makeServer(tx, order, deps)
      // Its caller begins the job, in the same transaction.
      case 'change':
        return order
      case 'top-up':
        return await moveOrder(tx, order, { to: 'active', now: deps.clock.now() })
      default:
        return await provision(tx, order, deps)
    }
  }
}

async function provision(tx: Db, order: OrderRow, deps: FulfilmentDeps): Promise<OrderRow> {
  const { jobs, clock, provision } = deps
  const { id: orderId, tokenId, userId } = order
  if (tokenId === null || userId === null) {
    return await moveOrder(tx, order, { to: 'cancelled', now: clock.now() })
  }
  await freshPassword(tx, { tokenId, hasKeys: hasKeys(order) }, deps)
  const name = order.serverName ?? order.planName
  const input = { orderId, tokenId, userId, name }
  const jobId = await jobs.enqueue(tx, provision, input, { ownerId: userId })
  const values = { jobId, failure: null, failureDetail: null }
  return await moveOrder(tx, order, { to: 'provisioning', now: clock.now(), values })
}

/** The client is not told which template, node or address is missing. */
const BY_HAND = 'Your server is being prepared by hand. You do not have to do anything.'

/**
 * Starts a server if a token matches or a template has capacity; else the order waits in Pending
 * Orders (O3).
 */
async function makeServer(tx: Db, order: OrderRow, deps: FulfilmentDeps): Promise<OrderRow> {
  const place = await prepareToken(tx, order, deps)
  const isPlaced = 'tokenId' in place
  const [row] = await tx
    .update(orders)
    .set(isPlaced ? { tokenId: place.tokenId } : { failure: BY_HAND, failureDetail: place.reason })
    .where(eq(orders.id, order.id))
    .returning()
  if (!row) throw notFound('Order')
  return isPlaced ? await provision(tx, row, deps) : row
}

/** If the server is gone when the payment arrives, the money becomes the client's credit. */
async function prolong(tx: Db, order: OrderRow, deps: FulfilmentDeps): Promise<OrderRow> {
  const now = deps.clock.now()
  const token = await ownToken(tx, order)
  const until = token && (await catchAppError(extendToken(tx, token, now, order.months)))
  if (!token || !(until instanceof Date)) {
    const reason = until ?? 'The server no longer exists.'
    const values = { failure: `${reason} What you paid is now your credit.` }
    return await moveOrder(tx, order, { to: 'cancelled', now, values })
  }
  const values = { assignedVmId: token.proxmoxVmId, nextBillingAt: until }
  const delivered = await moveOrder(tx, order, { to: 'active', now, values })
  await markDue(tx, token, now)
  if (token.status === 'expired') {
    const input = { tokenId: token.id, name: token.name }
    const owner = order.userId === null ? {} : { ownerId: order.userId }
    await deps.jobs.enqueue(tx, deps.start, input, owner)
  }
  const payer = order.userId === null ? undefined : { user: { id: order.userId } }
  await deps.audit.record(tx, payer, {
    action: 'token.renew',
    target: `token:${token.id}`,
    details: { until, orderId: order.id },
  })
  return delivered
}

async function ownToken(tx: Db, { tokenId, userId }: OrderRow): Promise<TokenRow | undefined> {
  if (tokenId === null || userId === null) return undefined
  const [token] = await tx
    .select()
    .from(tokens)
    .where(and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId)))
    .for('update')
  return token
}

/** Returns an AppError's message instead of throwing: the money has arrived either way. */
async function catchAppError<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
