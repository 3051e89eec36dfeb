import type { z } from 'zod'
import type { OpenCheckout, PaymentMethod } from '#shared/api/shop/billing.ts'
import { AppError } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { dueOf, type OrderRow } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'
import { OPEN, type PaymentRow, stateOf } from './payment-rows.ts'
import type { PaymentProvider } from './port/payment-provider.ts'
import type { Providers } from './ways/providers.ts'
import type { Ways } from './ways/ways.ts'

type CheckoutDeps = Pick<Deps, 'db' | 'log'> & { providers: Providers; ways: Ways }

/** How an order is paid now; null where nothing is due. */
export async function checkoutOf(
  order: OrderRow,
  paid: readonly PaymentRow[],
  deps: CheckoutDeps,
): Promise<z.input<typeof OpenCheckout> | null> {
  if (order.status !== 'pending') return null
  const open = latestOpen(paid)
  const seenCents = open?.seenCents ?? 0
  const provider = open && (await deps.providers.now(deps.db)).named(open.provider)
  return {
    state: open ? stateOf(open) : ('expired' as const),
    due: decimal(dueOf(order)),
    seen: decimal(seenCents),
    left: decimal(Math.max(0, dueOf(order) - seenCents)),
    url: open?.url ?? null,
    provider: open?.provider ?? null,
    way: open?.way ?? null,
    instructions: provider?.isByHand ? await deps.ways.instructions(deps.db) : null,
    expiresAt: open?.expiresAt ?? null,
    methods: open && provider ? await methodsOf(provider, open, deps) : [],
    progress: (open && (await provider?.progress?.(open.providerPaymentId))) ?? null,
  }
}

/** Where money is under way, else the way that the client chose last. */
function latestOpen(paid: readonly PaymentRow[]): PaymentRow | undefined {
  const open = paid.filter((payment) => OPEN.includes(stateOf(payment)))
  const byTime = open.toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime())
  return byTime.findLast(({ status }) => status === 'confirming') ?? byTime.at(-1)
}

/** If the provider does not answer, the page still links to the provider's own page. */
async function methodsOf(
  provider: PaymentProvider,
  payment: PaymentRow,
  deps: CheckoutDeps,
): Promise<PaymentMethod[]> {
  try {
    return await provider.methods(payment.providerPaymentId)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    deps.log.warn({ err: error, orderId: payment.orderId }, 'the ways to pay could not be read')
    return []
  }
}
