import type { MarketplaceToken } from '#shared/api/shop/marketplace.ts'
import { isFree, type Offer } from '#shared/rules/token/token-offer.ts'
import { keptThenDeleted } from '../../lib/format/grace-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { daysText } from '../../lib/format/time-words.ts'

/** The label of a card's button; undefined where there is no button. */
export const OFFER_LABELS: Record<Offer, string> = {
  buy: 'Buy',
  trial: 'Start Free Trial',
  deploy: 'Instant Deploy',
  active: 'Active Instance',
  none: 'Not available',
}

export const isTakeable = (offer: Offer): boolean =>
  offer === 'buy' || offer === 'trial' || offer === 'deploy'

type Priced = Pick<MarketplaceToken, 'monthlyPrice' | 'durationDays'>

export const offerPrice = (token: Priced): string =>
  isFree(token) ? 'Free' : priceText(token.monthlyPrice)

/** "/month" for a month, otherwise "for 7 days". */
export const offerPeriod = (token: Priced): string =>
  token.durationDays === 30 && !isFree(token) ? '/month' : `for ${daysText(token.durationDays)}`

export const whenReady = (offer: Offer): string =>
  offer === 'deploy' ? 'Instant: it is already running' : 'In about a minute'

export const atTheEnd = (token: Priced): string =>
  isFree(token)
    ? `The server stops and ${keptThenDeleted}. One trial per account; it cannot be renewed.`
    : `Renew it from 7 days before the end. Otherwise the server stops and ${keptThenDeleted}. No automatic charges.`
