import { type CurveName, isPointOn } from './curves.ts'
import { type Bytes, textOf } from './wire.ts'

const RSA_BITS_MIN = 2048
const RSA_BITS_MAX = 16_384
/** What OpenSSL verifies with. Nearly every key has 65537. */
const RSA_EXPONENT_BITS_MAX = 64
const ED25519_BYTES = 32

export const DAMAGED =
  'This key is damaged: a part of it is missing or was changed. Copy the whole line again.'

/** Checks the fields behind the type; a sentence where they are refused. */
type Check = (fields: readonly Bytes[]) => string | undefined

/** The public keys of OpenSSH that we accept, by the name in front of them. */
const TYPES = new Map<string, Check>([
  ['ssh-ed25519', ed25519],
  ['ssh-rsa', rsa],
  ['ecdsa-sha2-nistp256', ecdsa('nistp256')],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384')],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521')],
  ['sk-ssh-ed25519@openssh.com', onSecurityKey(ed25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', onSecurityKey(ecdsa('nistp256'))],
])

export const isKeyType = (type: string): boolean => TYPES.has(type)

/** Why a key of this type with these fields, its type among them, is refused. */
export function keyRefusal(type: string, fields: readonly Bytes[]): string | undefined {
  const [inside, ...rest] = fields
  const check = TYPES.get(type)
  if (!check || !inside || textOf(inside) !== type) return DAMAGED
  return check(rest)
}

/** RFC 8709 §4 */
function ed25519(fields: readonly Bytes[]): string | undefined {
  const [key, ...more] = fields
  return key?.length === ED25519_BYTES && more.length === 0 ? undefined : DAMAGED
}

/** RFC 4253 §6.6: first the exponent, then the modulus. */
function rsa(fields: readonly Bytes[]): string | undefined {
  const [exponent, modulus, ...more] = fields
  if (!exponent || !modulus || more.length > 0) return DAMAGED
  const [eBits, nBits] = [bitsOf(exponent), bitsOf(modulus)]
  if (eBits === undefined || nBits === undefined) return DAMAGED
  if (nBits < RSA_BITS_MIN) {
    return `RSA below ${RSA_BITS_MIN} bits is refused. Make a new key: ssh-keygen -t ed25519`
  }
  if (nBits > RSA_BITS_MAX) return `RSA above ${RSA_BITS_MAX} bits is refused.`
  const isUsual = eBits > 1 && eBits <= RSA_EXPONENT_BITS_MAX && isOdd(exponent) && isOdd(modulus)
  return isUsual ? undefined : DAMAGED
}

/** RFC 5656 §3.1 */
function ecdsa(curve: CurveName): Check {
  return ([name, point, ...more]) => {
    const isWhole = name && point && more.length === 0 && textOf(name) === curve
    return isWhole && isPointOn(curve, point) ? undefined : DAMAGED
  }
}

/** OpenSSH's PROTOCOL.u2f: the same fields, then the application, which is nearly always `ssh:`. */
function onSecurityKey(check: Check): Check {
  return (fields) => {
    const application = fields.at(-1)
    if (!application || !/^[\x21-\x7e]+$/.test(textOf(application))) return DAMAGED
    return check(fields.slice(0, -1))
  }
}

/**
 * The size of an mpint (RFC 4251 §5). Undefined unless it is positive and has no more bytes than it
 * needs: a leading 0 only keeps the next byte from reading as a sign.
 */
function bitsOf(number: Bytes): number | undefined {
  const [first, second] = number
  if (first === undefined || first >= 0x80) return undefined
  if (first > 0) return number.length * 8 - Math.clz32(first) + 24
  return second !== undefined && second >= 0x80 ? (number.length - 1) * 8 : undefined
}

const isOdd = (number: Bytes): boolean => ((number.at(-1) ?? 0) & 1) === 1
