import { createHash } from 'node:crypto'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ROUNDS = 5000

const sha256 = (...parts: Uint8Array[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The pattern repeated to this length. */
const stretched = (pattern: Uint8Array, length: number) =>
  Buffer.alloc(length, pattern.length > 0 ? pattern : 0)

/** Both halves of the password enter once for each bit of its length. */
function firstSum(key: Buffer, salt: Buffer): Buffer {
  const alternate = sha256(key, salt, key)
  const parts: Uint8Array[] = [key, salt, stretched(alternate, key.length)]
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? alternate : key)
  return sha256(...parts)
}

/** Three bytes to four characters, in the order the format prescribes. */
function encoded(sum: Buffer): string {
  const at = (index: number) => sum[index] ?? 0
  const characters = (value: number, count: number) =>
    Array.from({ length: count }, (_, n) => ALPHABET[(value >> (6 * n)) & 63]).join('')
  let text = ''
  let [a, b, c] = [0, 10, 20]
  for (let n = 0; n < 10; n++) {
    text += characters((at(a) << 16) | (at(b) << 8) | at(c), 4)
    ;[a, b, c] = [c + 1, a + 1, b + 1]
  }
  return text + characters((at(31) << 8) | at(30), 3)
}

/** crypt(3) with `$5$`: how PVE stores a cloud-init password, and a guest's /etc/shadow. */
export function sha256Crypt(password: string, saltText: string): string {
  const key = Buffer.from(password)
  const salt = Buffer.from(saltText.slice(0, 16))
  let sum = firstSum(key, salt)
  const p = stretched(sha256(...new Array<Buffer>(key.length).fill(key)), key.length)
  const s = stretched(sha256(...new Array<Buffer>(16 + (sum[0] ?? 0)).fill(salt)), salt.length)
  for (let round = 0; round < ROUNDS; round++) {
    const parts = [round % 2 ? p : sum]
    if (round % 3) parts.push(s)
    if (round % 7) parts.push(p)
    parts.push(round % 2 ? sum : p)
    sum = sha256(...parts)
  }
  return `$5$${salt.toString()}$${encoded(sum)}`
}
