export const TOKEN_STATUSES = [
  'ready',
  'available',
  'pending',
  'assigned',
  'expired',
  'cancelled',
] as const
export type TokenStatus = (typeof TOKEN_STATUSES)[number]

export const TOKEN_TYPES = ['ip_mac', 'ready'] as const
type TokenType = (typeof TOKEN_TYPES)[number]

/** What moves a token from one state to the next (T2). Every other move is refused. */
const MOVES: Record<TokenStatus, Partial<Record<TokenStatus, string>>> = {
  available: { pending: 'claimed', cancelled: 'withdrawn' },
  ready: { pending: 'claimed', cancelled: 'withdrawn' },
  pending: {
    available: 'given back',
    ready: 'given back',
    assigned: 'delivered',
    cancelled: 'client deleted',
  },
  assigned: { expired: 'time over', assigned: 'renewed', cancelled: 'given up' },
  expired: { assigned: 'renewed', cancelled: 'grace over' },
  // By an admin only: a token withdrawn from sale, or given up by its owner, by mistake.
  cancelled: {
    available: 'restored',
    ready: 'restored',
    assigned: 'restored',
    expired: 'restored unpaid',
  },
}

const WORDS: Record<TokenStatus, string> = {
  available: 'on sale',
  ready: 'on sale',
  pending: 'being prepared for a client',
  assigned: 'in use',
  expired: 'expired',
  cancelled: 'cancelled',
}

export const canMoveToken = (from: TokenStatus, to: TokenStatus): boolean =>
  MOVES[from][to] !== undefined

/** The token's current state in a sentence: the reason for most refusals. */
export const tokenState = (status: TokenStatus): string => `The token is ${WORDS[status]}.`

/** Why a token cannot move to this state now, in a sentence; undefined where it can. */
export const tokenRefusal = (from: TokenStatus, to: TokenStatus): string | undefined =>
  canMoveToken(from, to) ? undefined : tokenState(from)

/** Every state from which a token can move to this one, for guarded updates. */
export const statesBefore = (to: TokenStatus): TokenStatus[] =>
  (Object.keys(MOVES) as TokenStatus[]).filter((from) => canMoveToken(from, to))

/** Why a token cannot be edited: editing its record would not change the existing server. */
export function editRefusal(status: TokenStatus): string | undefined {
  if (isStock(status)) return undefined
  if (status === 'pending') return 'This token is being prepared for a client and cannot be edited.'
  if (status === 'cancelled')
    return 'This token is cancelled and cannot be edited. Restore it first.'
  return 'A client uses this server: editing the token would not change it. Only tokens on sale can be edited.'
}

export const STOCK: TokenStatus[] = ['available', 'ready']
/** A client has it, or is about to. */
export const HELD: TokenStatus[] = ['pending', 'assigned', 'expired']

export const isStock = (status: TokenStatus): boolean => STOCK.includes(status)

/**
 * The state in which a token of this type starts, and to which it returns if not delivered (T1).
 */
export const stockStatus = (type: TokenType): 'available' | 'ready' =>
  type === 'ready' ? 'ready' : 'available'
