import { createCipheriv } from 'node:crypto'

const reverseBits = (byte: number) =>
  [...Array(8).keys()].reduce((out, bit) => out | (((byte >> bit) & 1) << (7 - bit)), 0)

/**
 * VNC authentication: the challenge encrypted with DES, the key being eight bytes of the password
 * with the bits of each byte reversed. OpenSSL 3 no longer offers single DES, but triple DES with
 * the same key three times is the same thing.
 */
export function vncResponse(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(8)
  Buffer.from(password, 'latin1').copy(key, 0, 0, 8)
  const reversed = Buffer.from(key.map(reverseBits))
  const cipher = createCipheriv('des-ede3', Buffer.concat([reversed, reversed, reversed]), null)
  cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}
