import { and, asc, count, desc, eq, gt, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { OrderKind } from '#shared/api/shop/orders.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { reservationWait } from '#shared/rules/time/reservation-wait.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { countedNetworks } from '../limits/address-key.ts'
import type { OrderRow } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'

/**
 * Orders that reserve something before payment: a token, or capacity for a package. Renewals
 * reserve nothing.
 */
const RESERVING: OrderKind[] = ['purchase', 'package']
/** Lapses older than this no longer count. */
const REMEMBERED_MS = DAY_MS
/** A reservation given up sooner than this does not count as a lapse. */
const HELD_MS = 5 * MINUTE_MS
/** Shared by all visitors over an onion address, or behind a proxy that forwards no address. */
const SHARED = /^(127\.|0:0:0:)/

type UnpaidDeps = Pick<Deps, 'clock' | 'keyring'> & {
  config: Pick<Config, 'unpaidLimit' | 'unpaidNetworkLimit'>
}

export type UnpaidLimits = ReturnType<typeof createUnpaidLimits>

/** Limits how much may be reserved unpaid, so that one visitor cannot reserve the whole stock. */
export function createUnpaidLimits({ clock, keyring, config }: UnpaidDeps) {
  return {
    /** The network that an order keeps while it is unpaid, as a hash. */
    networkOf(address: string | undefined): string | null {
      if (address === undefined) return null
      // The widest network: the owner of a /48 of IPv6 has 65,536 of every smaller one.
      const key = countedNetworks(address).at(-1)?.key ?? address
      return SHARED.test(key) ? null : keyring.digest('unpaid orders', key)
    },

    /**
     * Refuses an order beyond the limit of unpaid ones. Runs in the transaction that placed it,
     * which holds `lockCredit()`: of concurrent orders each sees the ones before it.
     */
    async check(tx: Db, order: OrderRow): Promise<void> {
      if (order.status !== 'pending' || order.userId === null) return
      if (config.unpaidLimit > 0) {
        await checkWait(tx, order.userId, clock.now())
        await checkAccount(tx, order, order.userId, config.unpaidLimit)
      }
      if (config.unpaidNetworkLimit > 0) await checkNetwork(tx, order, config.unpaidNetworkLimit)
    },
  }
}

/** True if giving up an unpaid order counts as a lapse. */
export const hasHoarded = ({ createdAt }: Pick<OrderRow, 'createdAt'>, now: Date): boolean =>
  now.getTime() - createdAt.getTime() >= HELD_MS

const isUnpaid = (): SQL | undefined =>
  and(
    eq(orders.status, 'pending'),
    inArray(orders.kind, RESERVING),
    // A payment on its way does not count as a lapse.
    sql`not exists (select 1 from ${payments} where ${payments.orderId} = ${orders.id}
      and ${payments.seenCents} > 0)`,
  )

async function checkWait(tx: Db, userId: number, now: Date): Promise<void> {
  const since = new Date(now.getTime() - REMEMBERED_MS)
  const [paid] = await tx
    .select({ at: orders.createdAt })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        inArray(orders.kind, RESERVING),
        inArray(orders.status, ['paid', 'provisioning', 'active']),
        gt(orders.amountCents, 0),
      ),
    )
    .orderBy(desc(orders.createdAt))
    .limit(1)
  const forgiven = paid && paid.at > since ? paid.at : since
  const lapses = await tx
    .select({ at: orders.lapsedAt })
    .from(orders)
    .where(and(eq(orders.userId, userId), gt(orders.lapsedAt, forgiven)))
    .orderBy(desc(orders.lapsedAt))
  const last = lapses[0]?.at
  if (!last) return
  const left = last.getTime() + reservationWait(lapses.length) - now.getTime()
  if (left <= 0) return
  const minutes = Math.ceil(left / MINUTE_MS)
  throw new AppError(
    'UNPAID_WAIT',
    `Your last order was not paid in time. You can order again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfter: Math.ceil(left / 1000) },
  )
}

async function checkAccount(tx: Db, order: OrderRow, userId: number, limit: number): Promise<void> {
  const open = await tx
    .select({ id: orders.id, planName: orders.planName })
    .from(orders)
    .where(and(eq(orders.userId, userId), ne(orders.id, order.id), isUnpaid()))
    .orderBy(asc(orders.id))
  if (open.length < limit) return
  const which = open.length === 1 ? 'your open order' : `one of your ${open.length} open orders`
  throw new AppError('UNPAID_LIMIT', `Pay or cancel ${which} first.`, { details: { orders: open } })
}

async function checkNetwork(tx: Db, { network }: OrderRow, limit: number): Promise<void> {
  if (network === null) return
  // Serialises the accounts of one network; within an account the lock on its credit does.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${network}, 0))`)
  const [open] = await tx
    .select({ of: count() })
    .from(orders)
    .where(and(eq(orders.network, network), isUnpaid()))
  if ((open?.of ?? 0) <= limit) return
  throw new AppError(
    'UNPAID_LIMIT',
    'Too many orders from your network wait for their payment. Please try again in half an hour.',
  )
}
