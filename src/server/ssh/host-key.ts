import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { keyRefusal } from '#shared/rules/ssh/key-types.ts'
import { type Bytes, readFields, textOf } from '#shared/rules/ssh/wire.ts'
import { NotSshError } from './ssh-input.ts'

/** A key that a server proved to have. */
export type HostKey = {
  /** `ssh-ed25519` and the like. */
  type: string
  /** In base64, as in a line of `known_hosts`. */
  publicKey: string
  /** `SHA256:…`, as ssh-keygen prints it. */
  fingerprint: string
}

type Signed = { algorithm: string; key: Bytes; signature: Bytes; over: Bytes }
type Reader = (fields: readonly Bytes[]) => KeyObject

const base64url = (bytes: Bytes | undefined) => Buffer.from(bytes ?? []).toString('base64url')
/** The number without the zero in front that keeps it from reading as negative. */
const unsigned = (bytes: Bytes | undefined): Bytes | undefined =>
  bytes?.[0] === 0 ? bytes.subarray(1) : bytes
const fromJwk = (key: Record<string, string>) => createPublicKey({ key, format: 'jwk' })

const ed25519: Reader = ([, x]) => fromJwk({ kty: 'OKP', crv: 'Ed25519', x: base64url(x) })
const rsa: Reader = ([, e, n]) =>
  fromJwk({ kty: 'RSA', e: base64url(unsigned(e)), n: base64url(unsigned(n)) })
const ecdsa =
  (crv: string, size: number): Reader =>
  ([, , point]) =>
    fromJwk({
      kty: 'EC',
      crv,
      x: base64url(point?.subarray(1, 1 + size)),
      y: base64url(point?.subarray(1 + size)),
    })

type Algorithm = {
  /** The type of the key; RSA has two algorithms for one. */
  type: string
  hash: string | null
  read: Reader
  /** The bytes of one of the two numbers of a signature; only ECDSA has them. */
  size?: number
}

const ecdsaOf = (bits: number, hash: string): Algorithm => {
  const size = Math.ceil(bits / 8)
  return { type: `ecdsa-sha2-nistp${bits}`, hash, read: ecdsa(`P-${bits}`, size), size }
}

const ALGORITHMS: Record<string, Algorithm> = {
  'ssh-ed25519': { type: 'ssh-ed25519', hash: null, read: ed25519 },
  'ecdsa-sha2-nistp256': ecdsaOf(256, 'sha256'),
  'ecdsa-sha2-nistp384': ecdsaOf(384, 'sha384'),
  'ecdsa-sha2-nistp521': ecdsaOf(521, 'sha512'),
  'rsa-sha2-512': { type: 'ssh-rsa', hash: 'sha512', read: rsa },
  'rsa-sha2-256': { type: 'ssh-rsa', hash: 'sha256', read: rsa },
}

/** Asked for one after the other: a server shows one key per exchange. */
export const KINDS: readonly (readonly string[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
]

/** The key, if it made the signature by the agreed algorithm. Throws otherwise. */
export function provenKey({ algorithm, key, signature, over }: Signed): HostKey {
  const agreed = ALGORITHMS[algorithm]
  const fields = readFields(key)
  const [name, made, ...more] = readFields(signature) ?? []
  if (!agreed || !fields || keyRefusal(agreed.type, fields) !== undefined) {
    throw new NotSshError('the host key is not of the agreed type')
  }
  if (!name || !made || more.length > 0 || textOf(name) !== algorithm) {
    throw new NotSshError('the signature is not of the agreed type')
  }
  const { hash, read, size } = agreed
  const isMade =
    size === undefined
      ? verify(hash, over, read(fields), made)
      : verify(hash, over, { key: read(fields), dsaEncoding: 'ieee-p1363' }, flat(made, size))
  if (!isMade) throw new NotSshError('the host key did not make the signature')
  const digest = createHash('sha256').update(key).digest('base64')
  return {
    type: agreed.type,
    publicKey: Buffer.from(key).toString('base64'),
    fingerprint: `SHA256:${digest.replace(/=+$/, '')}`,
  }
}

/** RFC 5656 §3.1.2: two numbers of any length; node:crypto wants them at full length. */
function flat(signature: Bytes, size: number): Buffer {
  const numbers = readFields(signature)?.map((number) => unsigned(number) ?? number) ?? []
  if (numbers.length !== 2 || numbers.some(({ length }) => length > size)) {
    throw new NotSshError('the signature has another form')
  }
  const padded = numbers.map((number) => [Buffer.alloc(size - number.length), number])
  return Buffer.concat(padded.flat())
}
