import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Billing, ClientSubscription } from '#shared/api/shop/billing.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { calendarDay } from '../../lib/format/time.ts'

/** The client's paid servers that do not renew themselves yet. */
export const renewable = (
  tokens: readonly ClientToken[],
  subscriptions: readonly ClientSubscription[],
): readonly ClientToken[] => {
  const renewing = new Set(
    subscriptions.filter(({ status }) => status !== 'canceled').map(({ tokenId }) => tokenId),
  )
  return tokens.filter(
    (token) => token.status === 'assigned' && !isFree(token) && !renewing.has(token.id),
  )
}

/** What a subscription does next, in a sentence. */
export function subscriptionWords(subscription: ClientSubscription): string {
  const { status, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  const day = currentPeriodEnd && calendarDay(new Date(currentPeriodEnd))
  if (status === 'canceled') return 'Off.'
  if (cancelAtPeriodEnd) return day ? `Off. Paid until ${day}.` : 'Off.'
  if (status === 'past_due' || status === 'unpaid') {
    return 'The last payment failed. Renew it yourself, or it stops at its end.'
  }
  return day ? `On. Charged next on ${day}.` : 'On.'
}

/** Omits unpaid attempts for orders that no longer wait. */
export function tellingPayments({ orders, payments }: Pick<Billing, 'orders' | 'payments'>) {
  const waiting = new Set(orders.filter(({ status }) => status === 'pending').map(({ id }) => id))
  return payments.filter(
    ({ status, seen, orderId }) => status !== 'pending' || !isNothing(seen) || waiting.has(orderId),
  )
}
