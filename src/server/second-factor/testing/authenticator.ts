import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type {
  Assertion,
  CreationOptions,
  NewCredential,
  RequestOptions,
} from '#shared/api/people/webauthn.ts'
import { cbor } from './cbor.ts'

export const PUBLIC_URL = 'https://hush.example'

/** What a browser or a device would say otherwise than an honest one. */
type Lie = { origin?: string; rpId?: string; challenge?: string; type?: string }

const PRESENT = 0x01
const HAS_CREDENTIAL = 0x40
const NO_MODEL = Buffer.alloc(16)

const text = (bytes: Buffer) => bytes.toString('base64url')
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** A device with one passkey (P-256), and the browser at our address that it is plugged into. */
export function createAuthenticator(address = PUBLIC_URL) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const state = { counter: 0 }

  const clientData = (type: string, challenge: string, lie: Lie) => {
    const { origin = address } = lie
    const data = { type: lie.type ?? type, challenge: lie.challenge ?? challenge, origin }
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }))
  }
  const authenticatorData = (rpId: string, flags: number, more = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(state.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, more])
  }
  const coseKey = () => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const coordinate = (of: string) => Buffer.from(of, 'base64url')
    // Kind EC2, ES256, P-256 (RFC 9053).
    const fields: [number, number | Buffer][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]
    return cbor(new Map(fields))
  }
  const credential = {
    id: text(credentialId),
    rawId: text(credentialId),
    type: 'public-key' as const,
  }

  return {
    id: credential.id,
    /** How often it has signed; one that does not count leaves it at 0. */
    state,

    create(
      options: CreationOptions,
      lie: Lie & { format?: string; statement?: Map<string, Buffer[]> } = {},
    ): NewCredential {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const made = Buffer.concat([NO_MODEL, length, credentialId, coseKey()])
      const { rpId = options.rp.id, format = 'none', statement = new Map() } = lie
      const attestationObject = cbor(
        new Map<string, string | Buffer | Map<string, Buffer[]>>([
          ['fmt', format],
          ['attStmt', statement],
          ['authData', authenticatorData(rpId, PRESENT | HAS_CREDENTIAL, made)],
        ]),
      )
      const clientDataJSON = clientData('webauthn.create', options.challenge, lie)
      return {
        ...credential,
        response: {
          clientDataJSON: text(clientDataJSON),
          attestationObject: text(attestationObject),
        },
      }
    },

    sign(options: RequestOptions, lie: Lie = {}): Assertion {
      const clientDataJSON = clientData('webauthn.get', options.challenge, lie)
      const data = authenticatorData(lie.rpId ?? options.rpId, PRESENT)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: text(clientDataJSON),
          authenticatorData: text(data),
          signature: text(signature),
        },
      }
    },
  }
}
