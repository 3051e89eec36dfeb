import type { TokenStatus } from './token-status.ts'

export type Offer = 'buy' | 'trial' | 'deploy' | 'active' | 'none'

type Offered = { status: TokenStatus; monthlyPrice: string }

/** What a token's card offers. */
export function offerOf(token: Offered): Offer {
  switch (token.status) {
    case 'available':
      return isFree(token) ? 'trial' : 'buy'
    case 'ready':
      return 'deploy'
    case 'assigned':
      return 'active'
    case 'pending':
    case 'expired':
    case 'cancelled':
      return 'none'
  }
}

/** Price 0 is a free trial, and can only be claimed as one (T4). */
export const isFree = ({ monthlyPrice }: Pick<Offered, 'monthlyPrice'>): boolean =>
  Number(monthlyPrice) === 0

/** The call that claims it: a free token counts as the one trial, even where it deploys at once. */
export const claimCallOf = (token: Pick<Offered, 'monthlyPrice'>): 'purchase' | 'trial' =>
  isFree(token) ? 'trial' : 'purchase'
