import type { TokenStatus } from '#shared/api/shop/tokens.ts'
import { daysLeft, expiryBadge } from '#shared/rules/token/token-expiry.ts'
import { isStock } from '#shared/rules/token/token-status.ts'
import { daysLeftText } from '../../lib/format/time-words.ts'
import { Badge, type Tone } from '../../ui/indicator/badge.tsx'

const STATUS: Record<TokenStatus, [tone: Tone, word: string]> = {
  available: ['good', 'Available'],
  ready: ['good', 'Ready'],
  pending: ['warn', 'Pending'],
  assigned: ['good', 'Active'],
  expired: ['bad', 'Expired'],
  cancelled: ['idle', 'Cancelled'],
}

export function TokenBadge({ status }: { status: TokenStatus }) {
  const [tone, word] = STATUS[status]
  return (
    <Badge tone={tone} hasMark>
      {word}
    </Badge>
  )
}

type Stocked = { status: TokenStatus; assignedUserId: number | null }

/** Whether it can still be assigned to a client. */
export const isAvailable = ({ status, assignedUserId }: Stocked): boolean =>
  isStock(status) && assignedUserId === null

/** The two labels of the stock list. */
export function StockBadge({ token }: { token: Stocked }) {
  return isAvailable(token) ? (
    <Badge tone="good" hasMark>
      Available
    </Badge>
  ) : (
    <Badge hasMark>Used</Badge>
  )
}

const LOOK: Record<ReturnType<typeof expiryBadge>, Tone> = {
  destructive: 'bad',
  secondary: 'idle',
  default: 'good',
}

type Dated = Parameters<typeof daysLeft>[0] & { durationDays: number }

/** Days left; nothing as long as no time runs. */
export function DaysLeftBadge({ token, now }: { token: Dated; now: number }) {
  const days = daysLeft(token, new Date(now))
  if (days === undefined) return null
  return <Badge tone={LOOK[expiryBadge(days, token.durationDays)]}>{daysLeftText(days)}</Badge>
}
