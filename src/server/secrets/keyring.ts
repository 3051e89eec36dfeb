import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const VERSION = 'v1'

/** Where a sealed value is stored. A value moved to another place does not open there. */
export type Place = { table: string; column: string; row: string }

export class UnsealError extends Error {
  constructor(place: Place, reason: string) {
    super(`A secret in ${place.table}.${place.column} cannot be read: ${reason}`)
    this.name = 'UnsealError'
  }
}

type Key = { id: string; bytes: Buffer }

export type Keyring = ReturnType<typeof createKeyring>

/** Seals with the current key; also opens what an earlier key sealed. */
export function createKeyring(secret: string, previous?: string) {
  const current = deriveKey(secret)
  const keys = new Map([[current.id, current]])
  if (previous !== undefined) {
    const earlier = deriveKey(previous)
    keys.set(earlier.id, earlier)
  }

  return {
    /** `v1:<key id>:<iv>:<ciphertext>:<tag>`, bound to its place. */
    seal(place: Place, plaintext: string): string {
      const iv = randomBytes(12)
      const cipher = createCipheriv(ALGORITHM, current.bytes, iv).setAAD(aad(place))
      const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      const parts = [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return [VERSION, current.id, ...parts].join(':')
    },

    open(place: Place, sealed: string): string {
      const [version, keyId, iv, data, tag] = sealed.split(':')
      if (version !== VERSION || !keyId || !iv || data === undefined || !tag) {
        throw new UnsealError(place, 'it is not a sealed value')
      }
      const key = keys.get(keyId)
      if (!key) {
        throw new UnsealError(
          place,
          `it was sealed with another SECRET_KEY (${keyId}); set that one, or SECRET_KEY_PREVIOUS`,
        )
      }
      try {
        const decipher = createDecipheriv(ALGORITHM, key.bytes, decode(iv))
          .setAAD(aad(place))
          .setAuthTag(decode(tag))
        return decipher.update(decode(data), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw new UnsealError(place, 'it was changed, or belongs to another row')
      }
    },

    /** Equal texts give equal digests, and without the key the text cannot be found again. */
    digest(purpose: string, text: string): string {
      const key = Buffer.from(hkdfSync('sha256', secret, '', `hushbox ${purpose}`, 32))
      return createHmac('sha256', key).update(text).digest('base64url')
    },

    isCurrent: (sealed: string): boolean => sealed.startsWith(`${VERSION}:${current.id}:`),
  }
}

function deriveKey(secret: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'hushbox field encryption', 32))
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes }
}

/** The length of a sealed text, which the cipher keeps: nothing is opened to know it. */
export const bytesIn = (sealed: string): number => decode(sealed.split(':')[3] ?? '').length

const aad = ({ table, column, row }: Place) => Buffer.from(`${table}:${column}:${row}`)
const decode = (text: string) => Buffer.from(text, 'base64url')
