import {
  type Bytes,
  bytesOf,
  joinBytes,
  toBase64,
  uint32,
  writeFields,
} from '#shared/rules/ssh/wire.ts'

const MAGIC = 'openssh-key-v1\0'
const LINE_LENGTH = 70
/** The block size of no cipher at all. */
const BLOCK_BYTES = 8
const NONE = bytesOf('none')
const NOTHING = bytesOf('')
const TYPE = bytesOf('ssh-ed25519')

/** The two halves of an Ed25519 key, 32 bytes each. */
export type KeyPair = { seed: Bytes; publicHalf: Bytes }

/** The public half in SSH's own form, before base64. */
export const publicBlob = ({ publicHalf }: Pick<KeyPair, 'publicHalf'>): Bytes =>
  writeFields([TYPE, publicHalf])

/** A private key as ssh reads it, without a passphrase: OpenSSH's PROTOCOL.key. */
export function privateKeyFile(pair: KeyPair, comment: string): string {
  const whole = joinBytes([
    bytesOf(MAGIC),
    // Cipher, key derivation and its options, then the number of keys.
    writeFields([NONE, NONE, NOTHING]),
    uint32(1),
    writeFields([publicBlob(pair), privateSection(pair, comment)]),
  ])
  const lines = toBase64(whole).match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? []
  return [
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    ...lines,
    '-----END OPENSSH PRIVATE KEY-----',
    '',
  ].join('\n')
}

function privateSection({ seed, publicHalf }: KeyPair, comment: string): Bytes {
  // The same number twice: with a cipher, this is how a wrong passphrase is noticed.
  const check = crypto.getRandomValues(new Uint8Array(4))
  const content = joinBytes([
    check,
    check,
    writeFields([TYPE, publicHalf, joinBytes([seed, publicHalf]), bytesOf(comment)]),
  ])
  const missing = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES
  return joinBytes([content, Uint8Array.from({ length: missing }, (_, index) => index + 1)])
}
