import type { Token } from '#shared/api/shop/tokens.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { RENEWAL_DAYS } from '#shared/rules/token/token-expiry.ts'
import { isAvailable } from '../../widgets/token/token-badge.tsx'

/** The parts of the list that an address can select; "Needs attention" links to them. */
export const TOKEN_FILTERS = {
  expiring: 'Only those that expire soon',
  'for-sale': 'Only those for sale',
  'not-sellable': 'Only ready servers that cannot be sold',
}
export type TokenFilter = keyof typeof TOKEN_FILTERS

/** Whether a filter shows the token, as "Needs attention" counts it. */
export function passes(filter: TokenFilter | undefined, token: Token, now: number): boolean {
  switch (filter) {
    case undefined:
      return true
    case 'for-sale':
      return isAvailable(token)
    case 'not-sellable':
      return token.tokenType === 'ready' && isAvailable(token) && token.problem !== null
    case 'expiring': {
      const end = token.expiresAt === null ? Number.NaN : Date.parse(token.expiresAt)
      return token.status === 'assigned' && end > now && end <= now + RENEWAL_DAYS * DAY_MS
    }
  }
}
