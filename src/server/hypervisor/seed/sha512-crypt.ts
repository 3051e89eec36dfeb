import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ROUNDS = 5000
const SIZE = 64
/** The order in which the bytes of the digest are printed, three at a time; the last is alone. */
const ORDER = Array.from({ length: 21 }, (_, n) => {
  const at = [n, n + 21, n + 42]
  return [...at.slice(n % 3), ...at.slice(0, n % 3)]
})

const sha512 = (...parts: Buffer[]) => {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The first `length` bytes of the digest, over and over. */
const repeated = (digest: Buffer, length: number) =>
  Buffer.concat(Array.from({ length: Math.ceil(length / SIZE) }, () => digest)).subarray(0, length)

const printed = (bits: number, characters: number) =>
  Array.from({ length: characters }, (_, n) => ALPHABET[(bits >> (6 * n)) & 63]).join('')

/** A salt of 16 characters, as long as crypt(3) reads. */
const freshSalt = () => [...randomBytes(16)].map((byte) => ALPHABET[byte & 63]).join('')

/**
 * A password as /etc/shadow stores it: `$6$salt$…` of crypt(3), which every Linux understands. Node
 * has no such function. https://www.akkadia.org/drepper/SHA-crypt.txt
 */
export function sha512Crypt(password: string, salt = freshSalt()): string {
  const key = Buffer.from(password)
  const grains = Buffer.from(salt)
  const alternate = sha512(key, grains, key)
  const parts = [key, grains, repeated(alternate, key.length)]
  for (let length = key.length; length > 0; length >>= 1) {
    parts.push(length & 1 ? alternate : key)
  }
  let digest = sha512(...parts)
  const p = repeated(sha512(...Array.from({ length: key.length }, () => key)), key.length)
  const times = 16 + (digest[0] ?? 0)
  const s = repeated(sha512(...Array.from({ length: times }, () => grains)), grains.length)
  for (let round = 0; round < ROUNDS; round += 1) {
    digest = sha512(
      round % 2 ? p : digest,
      ...(round % 3 ? [s] : []),
      ...(round % 7 ? [p] : []),
      round % 2 ? digest : p,
    )
  }
  const byte = (at = 0) => digest[at] ?? 0
  const groups = ORDER.map(([a, b, c]) => printed((byte(a) << 16) | (byte(b) << 8) | byte(c), 4))
  return `$6$${salt}$${groups.join('')}${printed(byte(63), 2)}`
}
