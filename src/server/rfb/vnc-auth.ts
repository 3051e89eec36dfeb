import { createCipheriv } from 'node:crypto'

const KEY_BYTES = 8

/**
 * The answer to a VNC challenge: DES under the password's first eight bytes, each with its bits in
 * reverse order. OpenSSL 3 refuses single DES; triple DES with one key three times is the same.
 */
export function answerChallenge(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(KEY_BYTES)
  Buffer.from(password, 'latin1').copy(key, 0, 0, KEY_BYTES)
  const reversed = Buffer.from(key.map(reverseBits))
  const cipher = createCipheriv('des-ede3', Buffer.concat([reversed, reversed, reversed]), null)
  cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

function reverseBits(byte: number): number {
  let result = 0
  for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) result |= 128 >> bit
  return result
}
