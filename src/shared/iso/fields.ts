/** The small parts of which ISO 9660 structures are made. */

const encoder = new TextEncoder()

export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? encoder.encode(content) : content

const mask = (value: number, bits: number) => (value >>> bits) & 0xff

export const little16 = (value: number) => [mask(value, 0), mask(value, 8)]
const big16 = (value: number) => [mask(value, 8), mask(value, 0)]
export const little32 = (value: number) => [...little16(value), ...little16(value >>> 16)]
export const big32 = (value: number) => [...big16(value >>> 16), ...big16(value)]

/** Numbers are stored twice, once for each kind of processor. */
export const both16 = (value: number) => [...little16(value), ...big16(value)]
export const both32 = (value: number) => [...little32(value), ...big32(value)]

export const zeros = (count: number): number[] => new Array<number>(count).fill(0)

/** Records and their parts begin at even offsets. */
export const even = (bytes: number[]): number[] => [...bytes, ...zeros(bytes.length % 2)]

/** ASCII text, filled with spaces. */
export const padded = (text: string, length: number): number[] => [
  ...bytesOf(text.padEnd(length).slice(0, length)),
]

/** A fixed date, 1 January 1980: the same files give the same image. */
export const RECORD_DATE = [80, 1, 1, 0, 0, 0, 0]
