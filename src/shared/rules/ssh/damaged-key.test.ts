import { describe, expect, test } from 'vitest'
import { DAMAGED } from './key-types.ts'
import { readPublicKey } from './public-key.ts'
import { PUBLIC_KEYS } from './testing/public-keys.ts'
import { type Bytes, bytesOf, fromBase64, readFields, toBase64, writeFields } from './wire.ts'

const partsOf = ({ publicKey }: { publicKey: string }) => {
  const [type = '', base64 = ''] = publicKey.split(' ')
  return { type, base64, blob: fromBase64(base64) ?? new Uint8Array() }
}
const fieldsOf = (known: { publicKey: string }) => readFields(partsOf(known).blob) ?? []
const isRead = (type: string, blob: Bytes) => readPublicKey(`${type} ${toBase64(blob)}`).ok
const sentenceFor = (type: string, fields: Bytes[]) => {
  const reading = readPublicKey(`${type} ${toBase64(writeFields([bytesOf(type), ...fields]))}`)
  return reading.ok ? undefined : reading.sentence
}

/** Another number of the same size is another key; anything else must be whole. */
const FREE_FIELDS: Record<string, number[]> = {
  'ssh-ed25519': [1],
  'ssh-rsa': [1, 2],
  'sk-ssh-ed25519@openssh.com': [1, 2],
  'sk-ecdsa-sha2-nistp256@openssh.com': [3],
}

describe.each(Object.entries(PUBLIC_KEYS))('a damaged key (%s)', (_, known) => {
  const { type, base64, blob } = partsOf(known)

  test('is read only where the changed bit is inside a number that may be any', () => {
    const free = new Set<number>()
    let at = 0
    for (const [index, field] of fieldsOf(known).entries()) {
      const start = at + 4
      at = start + field.length
      if (!FREE_FIELDS[type]?.includes(index)) continue
      for (let n = start; n < at; n += 1) free.add(n)
    }
    const read = new Set<number>()
    for (let bit = 0; bit < blob.length * 8; bit += 1) {
      const changed = blob.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      if (isRead(type, changed)) read.add(bit >> 3)
    }
    expect([...read].filter((n) => !free.has(n))).toEqual([])
  })

  test('is refused where it is cut short or followed by more', () => {
    for (let length = 0; length < blob.length; length += 1) {
      expect(isRead(type, blob.slice(0, length)), `${length} bytes`).toBe(false)
    }
    for (const more of [[0], [0, 0, 0, 0], [0, 0, 0, 1, 7]]) {
      expect(isRead(type, Uint8Array.from([...blob, ...more]))).toBe(false)
    }
  })

  test('is refused where a character is missing, doubled or changed', () => {
    for (let at = 0; at < base64.length; at += 1) {
      const [before, after] = [base64.slice(0, at), base64.slice(at + 1)]
      for (const instead of ['', `${base64[at]}${base64[at]}`, '-', '*', 'é']) {
        expect(readPublicKey(`${type} ${before}${instead}${after}`).ok).toBe(false)
      }
    }
  })

  test('is refused in another spelling of the same bytes', () => {
    for (const spelling of [`${base64}=`, base64.replace(/=+$/, ''), base64.replaceAll('/', '_')]) {
      if (spelling !== base64) expect(readPublicKey(`${type} ${spelling}`).ok).toBe(false)
    }
  })

  test('is refused under the name of another type', () => {
    for (const other of Object.values(PUBLIC_KEYS).map((one) => partsOf(one).type)) {
      if (other !== type) expect(isRead(other, blob), other).toBe(false)
    }
  })
})

describe('a number of RSA', () => {
  const [, exponent = bytesOf(''), modulus = bytesOf('')] = fieldsOf(PUBLIC_KEYS.rsa)
  const sized = (bits: number) => {
    const bytes = new Uint8Array(bits / 8 + 1).fill(0xff)
    bytes[0] = 0
    return bytes
  }

  test.each([
    ['negative', exponent, modulus.slice(1)],
    ['longer than needed', exponent, Uint8Array.from([0, ...modulus])],
    ['even', exponent, Uint8Array.from([...modulus.slice(0, -1), 2])],
    ['empty', bytesOf(''), modulus],
    ['zero', Uint8Array.of(0), modulus],
    ['one', Uint8Array.of(1), modulus],
    ['an exponent as long as a modulus', modulus, modulus],
  ])('that is %s is refused', (_what, e, n) => {
    expect(sentenceFor('ssh-rsa', [e, n])).toBe(DAMAGED)
  })

  test('has 2048 to 16384 bits', () => {
    const justShort = sized(2048)
    justShort[1] = 0x7f
    expect(sentenceFor('ssh-rsa', [exponent, justShort.slice(1)])).toMatch(/^RSA below 2048 bits/)
    expect(sentenceFor('ssh-rsa', [exponent, sized(2048)])).toBeUndefined()
    expect(sentenceFor('ssh-rsa', [exponent, sized(16_384)])).toBeUndefined()
    const tooLong = Uint8Array.from([1, ...sized(16_384).slice(1)])
    expect(sentenceFor('ssh-rsa', [exponent, tooLong])).toBe('RSA above 16384 bits is refused.')
  })
})

test('a point of another curve, a compressed one and none are refused', () => {
  const [, , small = bytesOf('')] = fieldsOf(PUBLIC_KEYS.ecdsa256)
  const [, , large = bytesOf('')] = fieldsOf(PUBLIC_KEYS.ecdsa384)
  const compressed = Uint8Array.from([2 + ((small.at(-1) ?? 0) & 1), ...small.slice(1, 33)])
  for (const point of [large, compressed, Uint8Array.of(0), bytesOf('')]) {
    const fields = [bytesOf('nistp256'), point]
    expect(sentenceFor('ecdsa-sha2-nistp256', fields)).toBe(DAMAGED)
  }
  expect(sentenceFor('ecdsa-sha2-nistp256', [bytesOf('nistp384'), small])).toBe(DAMAGED)
})

test('long nonsense is refused without an exception', () => {
  for (const text of ['A', 'AAAA', 'ssh-rsa ', '\n', '"', '-----BEGIN ']) {
    expect(readPublicKey(`ssh-ed25519 ${text.repeat(50_000)}`).ok).toBe(false)
  }
})
