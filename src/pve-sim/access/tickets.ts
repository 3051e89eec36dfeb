import { createHmac, timingSafeEqual } from 'node:crypto'

/** Tickets, CSRF tokens and one-time codes, signed with the cluster's key. */

const LIFETIME = 2 * 3600
/** Clocks of cluster nodes may differ by this much. */
const GRACE = 300
const VNC_LIFETIME = 40
const VNC_GRACE = 20

const hexTime = (ms: number) =>
  Math.floor(ms / 1000)
    .toString(16)
    .toUpperCase()

function signature(key: string, ...parts: string[]): string {
  return createHmac('sha512', key).update(parts.join('\0')).digest('base64')
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function isFresh(hex: string, now: number, range: { past: number; future: number }): boolean {
  const age = Math.floor(now / 1000) - Number.parseInt(hex, 16)
  return age > -range.future && age < range.past
}

const TICKET_RANGE = { past: LIFETIME, future: GRACE }

export function makeTicket(key: string, userid: string, now: number): string {
  const plain = `PVE:${userid}:${hexTime(now)}`
  return `${plain}::${signature(key, plain)}`
}

/** The user of a ticket; undefined if it is forged, expired or only the first half of a login. */
export function ticketUser(key: string, ticket: string, now: number): string | undefined {
  const match = /^(PVE:([^:\s]+@[^:\s]+):([0-9A-F]{8}))::(\S+)$/.exec(ticket)
  if (!match) return undefined
  const [, plain = '', userid = '', time = '', signed = ''] = match
  if (userid.startsWith('!tfa!') || !same(signed, signature(key, plain))) return undefined
  return isFresh(time, now, TICKET_RANGE) ? userid : undefined
}

/** The first half of a login with a second factor: names the factors, grants no access. */
export function makeTfaTicket(key: string, userid: string, challenge: object, now: number): string {
  const plain = `PVE:!tfa!${encodeURIComponent(JSON.stringify(challenge))}:${hexTime(now)}`
  return `${plain}::${signature(key, plain, userid)}`
}

export function isTfaTicketOf(key: string, ticket: string, userid: string, now: number): boolean {
  const match = /^(PVE:!tfa![^:\s]+:([0-9A-F]{8}))::(\S+)$/.exec(ticket)
  if (!match) return false
  const [, plain = '', time = '', signed = ''] = match
  return same(signed, signature(key, plain, userid)) && isFresh(time, now, TICKET_RANGE)
}

export function makeCsrf(key: string, userid: string, now: number): string {
  const time = hexTime(now)
  return `${time}:${signature(key, 'csrf', time, userid)}`
}

export function isCsrfOf(key: string, token: string, userid: string, now: number): boolean {
  const [time = '', signed = ''] = token.split(':')
  return same(signed, signature(key, 'csrf', time, userid)) && isFresh(time, now, TICKET_RANGE)
}

export type VncClaim = { authid: string; path: string; port: number | undefined }

const claimParts = (claim: VncClaim) => [claim.authid, claim.path, String(claim.port ?? '')]

/** `port` is part of the claim only since April 2026. */
export function makeVncTicket(key: string, claim: VncClaim, now: number): string {
  const plain = `PVEVNC:${hexTime(now)}`
  return `${plain}::${signature(key, plain, ...claimParts(claim))}`
}

export function isVncTicketOf(key: string, ticket: string, claim: VncClaim, now: number): boolean {
  // The compatible form starts with the eight-character password.
  const match = /^(?:.{8}:)?(PVEVNC:([0-9A-F]{8}))::(\S+)$/.exec(ticket)
  if (!match) return false
  const [, plain = '', time = '', signed = ''] = match
  const range = { past: VNC_LIFETIME, future: VNC_GRACE }
  return same(signed, signature(key, plain, ...claimParts(claim))) && isFresh(time, now, range)
}

/** RFC 6238, six digits, thirty seconds, one step of tolerance. */
export function totp(secretHex: string, now: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)))
  const hash = createHmac('sha1', Buffer.from(secretHex, 'hex')).update(counter).digest()
  const offset = (hash[19] ?? 0) & 0xf
  const code = (hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000
  return String(code).padStart(6, '0')
}

export const isTotp = (secretHex: string, code: string, now: number) =>
  [-30_000, 0, 30_000].some((drift) => totp(secretHex, now + drift) === code)
