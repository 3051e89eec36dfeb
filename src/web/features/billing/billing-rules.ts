import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Billing, ClientSubscription } from '#shared/api/shop/billing.ts'
import { renewsAt } from '#shared/rules/money/credit-lasts.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'

/** The client's paid servers that do not renew themselves by card yet. */
const withoutCard = (
  tokens: readonly ClientToken[],
  subscriptions: readonly ClientSubscription[],
): readonly ClientToken[] => {
  const renewing = new Set(
    subscriptions.filter(({ status }) => status !== 'canceled').map(({ tokenId }) => tokenId),
  )
  return tokens.filter((token) => !isFree(token) && !renewing.has(token.id))
}

/** The client's paid servers that do not renew themselves yet. */
export const renewable = (...given: Parameters<typeof withoutCard>): readonly ClientToken[] =>
  withoutCard(...given).filter(({ status, autoRenew }) => status === 'assigned' && !autoRenew)

/** Those that credit renews, or could renew; also in their grace period. */
export const creditRenewable = (...given: Parameters<typeof withoutCard>): readonly ClientToken[] =>
  withoutCard(...given).filter(({ status }) => status === 'assigned' || status === 'expired')

/** When credit renews a server next, in a sentence. */
export function creditRenewalWords(
  token: Pick<ClientToken, 'autoRenew' | 'expiresAt' | 'suspended'>,
): string {
  const { autoRenew, expiresAt, suspended } = token
  if (!autoRenew || expiresAt === null) return expiresAt ? `Ends ${dayOf(expiresAt)}.` : ''
  if (suspended) return 'Suspended: it is not renewed until it runs again.'
  return `Renewed on ${calendarDay(renewsAt(new Date(expiresAt)))}.`
}

const dayOf = (at: string): string => calendarDay(new Date(at))

const SOON_MS = 14 * DAY_MS

/** How long the credit lasts, in a sentence; soon is a reason to act. */
export function lastsWords(
  { until, name, missing }: NonNullable<Billing['creditLasts']>,
  now: number,
): { text: string; isSoon: boolean } {
  const isSoon = Date.parse(until) - now < SOON_MS
  const lasts = `Your credit lasts until ${dayOf(until)}.`
  if (!isSoon) return { text: lasts, isSoon }
  return { text: `${lasts} Add ${priceText(missing)} to renew ${name} once more.`, isSoon }
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
