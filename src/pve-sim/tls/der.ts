/** The few DER types that X.509 certificates need (Node can read certificates, not write them). */

const SEQUENCE = 0x30
const SET = 0x31

function length(n: number): Buffer {
  if (n < 0x80) return Buffer.from([n])
  if (n < 0x100) return Buffer.from([0x81, n])
  return Buffer.from([0x82, n >> 8, n & 0xff])
}

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}

export const sequence = (...parts: Buffer[]) => tlv(SEQUENCE, ...parts)
export const set = (...parts: Buffer[]) => tlv(SET, ...parts)
export const octets = (body: Buffer) => tlv(0x04, body)
export const bits = (body: Buffer, unused = 0) => tlv(0x03, Buffer.from([unused]), body)
export const utf8 = (text: string) => tlv(0x0c, Buffer.from(text, 'utf8'))
export const boolean = (value: boolean) => tlv(0x01, Buffer.from([value ? 0xff : 0]))
export const explicit = (n: number, body: Buffer) => tlv(0xa0 + n, body)
export const implicit = (n: number, body: Buffer) => tlv(0x80 + n, body)

export function integer(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const body = bytes.subarray(start)
  // A leading one bit would make the number negative.
  return tlv(0x02, (body[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), body]) : body)
}

function base128(n: number): number[] {
  const out = [n & 0x7f]
  for (let rest = n >> 7; rest > 0; rest >>= 7) out.unshift((rest & 0x7f) | 0x80)
  return out
}

export function oid(dotted: string): Buffer {
  const [a = 0, b = 0, ...rest] = dotted.split('.').map(Number)
  return tlv(0x06, Buffer.from([a * 40 + b, ...rest.flatMap(base128)]))
}

/** UTCTime up to 2049, GeneralizedTime after, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  const late = digits >= '20500101000000'
  return tlv(late ? 0x18 : 0x17, Buffer.from(`${late ? digits : digits.slice(2)}Z`))
}
