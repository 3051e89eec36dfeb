/** Bytes that Web Crypto takes as they are. */
export type Bytes = Uint8Array<ArrayBuffer>

const LENGTH_BYTES = 4

/**
 * The fields of a key: each is its length in four bytes, then its content (RFC 4251 §5). Undefined
 * where the last one is cut short or followed by other bytes.
 */
export function readFields(blob: Bytes): Bytes[] | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  const fields: Bytes[] = []
  let at = 0
  while (at < blob.length) {
    if (blob.length - at < LENGTH_BYTES) return undefined
    const start = at + LENGTH_BYTES
    at = start + view.getUint32(start - LENGTH_BYTES)
    if (at > blob.length) return undefined
    fields.push(blob.subarray(start, at))
  }
  return fields
}

/** The opposite of `readFields`. */
export const writeFields = (fields: readonly Bytes[]): Bytes =>
  joinBytes(fields.flatMap((field) => [uint32(field.length), field]))

export function uint32(value: number): Bytes {
  const bytes = new Uint8Array(LENGTH_BYTES)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

export function joinBytes(parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text)

/** One character for each byte: for names, which are ASCII. */
export const textOf = (bytes: Bytes): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

export const toBase64 = (bytes: Bytes): string => btoa(textOf(bytes))

/** Only the one spelling that `toBase64` gives: with padding, without spaces or spare bits. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
