import { and, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { TopUp } from '#shared/api/shop/credit.ts'
import { AppError } from '#shared/errors.ts'
import { type Cents, parseAmount } from '#shared/rules/money/money.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { lockCredit } from '../../ledger/credit.ts'
import { type OrderRow, toClientOrder } from '../../orders/orders.ts'
import { placeOrder } from '../../orders/place-order.ts'
import { releaseOrder } from '../../orders/release.ts'
import { type Checkouts, orderTerm } from '../../payments/checkouts.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'

type TopUpDeps = Pick<Deps, 'db' | 'clock' | 'events'> & { checkouts: Checkouts }

/** Sells credit: an order whose delivery is the money itself. */
export function createTopUps({ db, clock, events, checkouts }: TopUpDeps) {
  /** A second request continues with the order of the first, unless it asks for another amount. */
  const orderFor = async (tx: Db, userId: number, amountCents: Cents): Promise<OrderRow> => {
    const open = await openTopUp(tx, userId)
    if (open?.amountCents === amountCents) return open
    const now = clock.now()
    // Money that still arrives for it becomes credit, which is what it was meant for.
    if (open) await releaseOrder(tx, open, { now })
    const order = { userId, kind: 'top-up', planName: 'Credit', amountCents } as const
    return await placeOrder(tx, { ...order, ...orderTerm(now) }, now)
  }

  return {
    async topUp(actor: Actor, { amount, paymentMethod }: z.output<typeof TopUp>) {
      const cents = parseAmount(amount)
      if (cents === undefined) throw new AppError('INVALID_INPUT', 'Please enter an amount')
      const userId = actor.user.id
      const order = await db.transaction(async (tx) => {
        await lockCredit(tx, userId)
        const placed = await orderFor(tx, userId, cents)
        const entry = { action: 'order.create', target: `order:${placed.id}`, details: { cents } }
        const payer = { key: actor.key, paymentMethod, placed: { by: actor, entry } }
        const order = await checkouts.pay(tx, placed, payer)
        await publishTokenChange(tx, events, userId)
        return order
      })
      const checkoutUrl = await checkouts.openOrRelease(order, paymentMethod)
      return { order: toClientOrder(order), checkoutUrl }
    },
  }
}

async function openTopUp(tx: Db, userId: number): Promise<OrderRow | undefined> {
  const isOpen = and(
    eq(orders.userId, userId),
    eq(orders.kind, 'top-up'),
    eq(orders.status, 'pending'),
  )
  const [open] = await tx.select().from(orders).where(isOpen).for('update')
  return open
}
