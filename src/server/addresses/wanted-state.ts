import { HOUR_MS } from '#shared/rules/time/durations.ts'
import type { addresses } from '../db/schema/addresses.ts'
import type { Claim } from './claims.ts'
import type { PoolRow } from './pool-rows.ts'

/** How long an address rests after its server, so that nothing meant for it reaches the next. */
export const COOLING_MS = 24 * HOUR_MS

type AddressRow = typeof addresses.$inferSelect
export type Standing = Pick<AddressRow, 'state' | 'tokenId' | 'instanceId' | 'reason' | 'until'>

const FREE: Standing = {
  state: 'free',
  tokenId: null,
  instanceId: null,
  reason: null,
  until: null,
}

type Known = { pool: PoolRow; claims: readonly Claim[]; now: Date }

/**
 * What an address is, by what has it. A server goes before what was seen elsewhere, which is noted;
 * that goes before a token that is only on sale, which is then not sold. An address that a server
 * had rests before it is free.
 */
export function wantedState(
  address: string,
  before: Standing,
  { pool, claims, now }: Known,
): Standing {
  const reason = reasonOf(address, pool, claims)
  const used = claims.find(({ kind }) => kind === 'used')
  if (used) return { ...FREE, state: 'used', ...partyOf(claims, 'used'), reason }
  if (reason !== null) return { ...FREE, state: 'reserved', reason }
  const held = claims.find(({ kind }) => kind === 'held')
  if (held) return { ...FREE, state: 'held', ...partyOf(claims, 'held') }
  if (before.state === 'used') {
    return { ...FREE, state: 'cooling', until: new Date(now.getTime() + COOLING_MS) }
  }
  const isCooling = before.state === 'cooling' && before.until !== null && before.until > now
  return isCooling ? { ...FREE, state: 'cooling', until: before.until } : FREE
}

function reasonOf(address: string, pool: PoolRow, claims: readonly Claim[]): string | null {
  if (address === pool.gateway) return 'Gateway of the pool'
  const reserved = pool.reserved.find((one) => one.address === address)
  if (reserved) return reserved.reason || 'Reserved by an operator'
  const seen = claims.find((claim) => claim.kind === 'seen')
  return seen?.kind === 'seen' ? seen.reason : null
}

/** A token and its VM both claim the address of a server: each names its half. */
function partyOf(claims: readonly Claim[], kind: 'used' | 'held') {
  const parties = claims.flatMap((claim) => (claim.kind === kind ? [claim] : []))
  return {
    tokenId: parties.find(({ tokenId }) => tokenId !== null)?.tokenId ?? null,
    instanceId: parties.find(({ instanceId }) => instanceId !== null)?.instanceId ?? null,
  }
}

export const isSame = (a: Standing, b: Standing): boolean =>
  a.state === b.state &&
  a.tokenId === b.tokenId &&
  a.instanceId === b.instanceId &&
  a.reason === b.reason &&
  a.until?.getTime() === b.until?.getTime()
