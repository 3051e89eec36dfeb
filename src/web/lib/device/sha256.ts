/**
 * SHA-256 (FIPS 180-4) in plain arithmetic: `crypto.subtle` is missing on a page without https,
 * such as a first run inside a local network. Never used for anything secret.
 */
const primes = firstPrimes(64)
const K = primes.map((prime) => fraction(Math.cbrt(prime)))
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

export function sha256(text: string): string {
  const state = Uint32Array.from(START)
  const words = padded(new TextEncoder().encode(text))
  for (let at = 0; at < words.length; at += 16) compress(state, words.subarray(at, at + 16))
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

function padded(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64)
  const view = new DataView(new ArrayBuffer(blocks * 64))
  bytes.forEach((byte, index) => {
    view.setUint8(index, byte)
  })
  view.setUint8(bytes.length, 0x80)
  view.setUint32(blocks * 64 - 4, bytes.length * 8)
  return Uint32Array.from({ length: blocks * 16 }, (_, index) => view.getUint32(index * 4))
}

function compress(state: Uint32Array, block: Uint32Array) {
  const w = new Uint32Array(64)
  w.set(block)
  const at = (list: Uint32Array | number[], index: number) => list[index] ?? 0
  for (let i = 16; i < 64; i += 1) {
    const x = at(w, i - 15)
    const y = at(w, i - 2)
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = at(state, index) + value
  })
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits of the fractional part. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32)
}

function firstPrimes(amount: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < amount; n += 1) {
    if (found.every((prime) => n % prime !== 0)) found.push(n)
  }
  return found
}
