import { createHmac, timingSafeEqual } from 'node:crypto'

/** What every authenticator app assumes (RFC 6238): SHA-1, six digits, half a minute. */
const STEP_MS = 30_000
const DIGITS = 6
/** Of the secret; RFC 4226 recommends as many as SHA-1 has. */
export const SECRET_BYTES = 20
/** How many steps the clock of a phone may be wrong. */
const DRIFT = 1

/** RFC 4648, without padding: how apps take a secret. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const stepAt = (now: Date): number => Math.floor(now.getTime() / STEP_MS)

export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Six digits, however they were grouped; undefined for anything else. */
export function asTotp(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(digits) ? digits : undefined
}

/** The time step that a code belongs to; undefined if it is of none that counts now. */
export function stepOfCode(secret: Buffer, code: string, now: Date): number | undefined {
  const current = stepAt(now)
  let found: number | undefined
  // All of them, whichever fits, so that the time tells nothing.
  for (let step = current - DRIFT; step <= current + DRIFT; step += 1) {
    const isIt = timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code))
    if (isIt) found = step
  }
  return found
}

export function asBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** What the QR code says to an app. */
export function appUri({
  secret,
  issuer,
  account,
}: {
  secret: string
  issuer: string
  account: string
}): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}
