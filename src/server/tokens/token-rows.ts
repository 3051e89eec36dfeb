import { eq, or, type SQL } from 'drizzle-orm'
import type { TokenStatus } from '#shared/api/shop/tokens.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { tokens } from '../db/schema/stock.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { tokenPassword } from '../secrets/sealed-columns.ts'

export type TokenRow = typeof tokens.$inferSelect

const MAX_ID = 2_147_483_647

/** A token by its id or by its public name (T15). */
export function tokenNamed(name: string): SQL | undefined {
  const id = idNamed(name)
  const byName = eq(tokens.tokenId, name)
  return id === undefined ? byName : or(eq(tokens.id, id), byName)
}

/** The id, if the name has the form of one. */
export function idNamed(name: string): number | undefined {
  const id = /^\d{1,10}$/.test(name) ? Number(name) : undefined
  return id !== undefined && id <= MAX_ID ? id : undefined
}

export const sealPassword = (keyring: Keyring, tokenId: string, password: string): string =>
  keyring.seal(tokenPassword(tokenId), password)

export const openPassword = (keyring: Keyring, row: Pick<TokenRow, 'tokenId' | 'password'>) =>
  keyring.open(tokenPassword(row.tokenId), row.password)

/** The fields that every account with access to the token sees. */
export const toFacts = (row: TokenRow) => ({
  id: row.id,
  tokenId: row.tokenId,
  name: row.name,
  status: row.status,
  tokenType: row.tokenType,
  osType: row.osType,
  durationDays: row.durationDays,
  monthlyPrice: decimal(row.monthlyPriceCents),
})

/** As operators see it: without the password, which is revealed one at a time (F7). */
export const toToken = (row: TokenRow) => ({
  ...toFacts(row),
  // A server with IPv6 alone is reached by that.
  ipAddress: row.ipAddress ?? row.ipv6Address,
  clientIpAddress: row.clientIpAddress,
  macAddress: row.macAddress,
  domain: row.domain,
  username: row.username,
  proxmoxVmId: row.proxmoxVmId,
  assignedUserId: row.assignedUserId,
  assignedInstanceId: row.assignedInstanceId,
  assignedAt: row.assignedAt,
  expiresAt: row.expiresAt,
  createdAt: row.createdAt,
})

/** States in which the owner may know the address and login of the server (T8). */
export const DELIVERED: TokenStatus[] = ['assigned', 'expired']
const isDelivered = (row: TokenRow): boolean => DELIVERED.includes(row.status)

const UNDELIVERED = {
  ipAddress: null,
  clientIpAddress: null,
  macAddress: null,
  domain: null,
  username: '',
  password: '',
  proxmoxVmId: null,
  assignedInstanceId: null,
}

/**
 * For the owner, with the secrets; before delivery without anything that leads to the server (T8).
 */
export const toOwnToken = (row: TokenRow, keyring: Keyring) => ({
  ...toToken(row),
  ...(isDelivered(row) ? { password: openPassword(keyring, row) } : UNDELIVERED),
})
