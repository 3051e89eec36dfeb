/** Without letters that look alike: it may have to be typed into a console. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

type Fill = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array

/** 115 bits. Bytes that would make some letters likelier than others are skipped. */
export function randomPassword(fill: Fill = (bytes) => crypto.getRandomValues(bytes)): string {
  const limit = 256 - (256 % LETTERS.length)
  let password = ''
  while (password.length < LENGTH) {
    for (const byte of fill(new Uint8Array(LENGTH))) {
      if (byte < limit && password.length < LENGTH) password += LETTERS[byte % LETTERS.length]
    }
  }
  return password
}
