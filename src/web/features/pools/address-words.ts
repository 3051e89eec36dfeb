import type { AddressState, PoolAddress } from '#shared/api/servers/pools.ts'
import { exactTime } from '../../lib/format/time.ts'

/** In the order of the legend. */
export const STATES: readonly AddressState[] = ['used', 'held', 'cooling', 'reserved', 'free']

export const STATE_WORDS: Record<AddressState, string> = {
  used: 'Used',
  held: 'Held',
  cooling: 'Cooling',
  reserved: 'Reserved',
  free: 'Free',
}

export const STATE_HINTS: Record<AddressState, string> = {
  used: 'A server has it.',
  held: 'For a token on sale, or a server being made.',
  cooling: 'Its server has ended. It rests for 24 hours.',
  reserved: 'Never handed out.',
  free: 'The lowest is handed out next.',
}

/** A server has the address, and something else was seen to have it too. */
export const isDoubtful = ({ state, reason }: PoolAddress): boolean =>
  state === 'used' && reason !== null

/** One sentence about an address. */
export function addressText(one: PoolAddress): string {
  const { address, state, server, reason, until } = one
  if (state === 'used') {
    const who = server ? ` by ${server.name}` : ''
    return `${address} is used${who}${isDoubtful(one) ? `, and also seen: ${reason}` : ''}.`
  }
  if (state === 'held') return `${address} is held${server ? ` for ${server.name}` : ''}.`
  if (state === 'reserved') return `${address} is reserved: ${reason ?? 'no reason was given'}.`
  if (state === 'cooling' && until)
    return `${address} is cooling until ${exactTime(new Date(until))}.`
  return `${address} is free.`
}
