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

/** A device with one passkey (P-256), and the browser at the asking address that it is plugged into. */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const state = { counter: 0 }

  const clientData = (honest: { type: string; challenge: string; host: string }, lie: Lie) => {
    const { type, challenge, origin } = { ...honest, origin: `https://${honest.host}`, ...lie }
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
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
      const { challenge, rp } = options
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const made = Buffer.concat([NO_MODEL, length, credentialId, coseKey()])
      const { rpId = rp.id, format = 'none', statement = new Map() } = lie
      const attestationObject = cbor(
        new Map<string, string | Buffer | Map<string, Buffer[]>>([
          ['fmt', format],
          ['attStmt', statement],
          ['authData', authenticatorData(rpId, PRESENT | HAS_CREDENTIAL, made)],
        ]),
      )
      const honest = { type: 'webauthn.create', challenge, host: rp.id }
      const clientDataJSON = clientData(honest, lie)
      return {
        ...credential,
        response: {
          clientDataJSON: text(clientDataJSON),
          attestationObject: text(attestationObject),
        },
      }
    },

    sign(options: RequestOptions, lie: Lie = {}): Assertion {
      const { challenge, rpId } = options
      const honest = { type: 'webauthn.get', challenge, host: rpId }
      const clientDataJSON = clientData(honest, lie)
      const data = authenticatorData(lie.rpId ?? rpId, PRESENT)
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
