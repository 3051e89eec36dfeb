import {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import type { Socket } from 'node:net'
import { type Bytes, writeFields } from '#shared/rules/ssh/wire.ts'
import { type HostKey, provenKey } from './host-key.ts'
import {
  EXCHANGES,
  ecdhInit,
  farewell,
  kexInit,
  MESSAGE,
  mpint,
  readEcdhReply,
  readKexInit,
  toBytes,
} from './messages.ts'
import { NotSshError, type SshInput, toPacket } from './ssh-input.ts'

const OUR_VERSION = 'SSH-2.0-Hushbox'
/** A server may greet before its version line (RFC 4253 §4.2). */
const LINES_MAX = 20
/** How many messages without a meaning for us, such as SSH_MSG_DEBUG, are skipped in a row. */
const SKIPPED_MAX = 20
const POINT_BYTES = 32

/**
 * The client's half of RFC 4253 up to the server's proof of its host key, by RFC 8731. Ends before
 * any key is in use, and never signs in. Undefined if the server has no key of these algorithms.
 */
export async function exchangeKeys(
  socket: Socket,
  input: SshInput,
  algorithms: readonly string[],
): Promise<HostKey | undefined> {
  socket.write(`${OUR_VERSION}\r\n`)
  const theirVersion = await versionLine(input)
  const ourInit = kexInit(algorithms)
  socket.write(toPacket(ourInit))
  const theirInit = await nextMessage(input, MESSAGE.kexInit)
  const theirs = readKexInit(theirInit)
  const algorithm = algorithms.find((name) => theirs.algorithms.includes(name))
  const hasExchange = EXCHANGES.some((name) => theirs.exchanges.includes(name))
  if (algorithm === undefined || !hasExchange) return undefined

  const own = generateKeyPairSync('x25519')
  const ourPoint = pointOf(own.publicKey)
  socket.write(toPacket(ecdhInit(ourPoint)))
  const { key, point, signature } = readEcdhReply(await nextMessage(input, MESSAGE.ecdhReply))
  const secret = mpint(sharedSecret(own.privateKey, point))
  const versions = [OUR_VERSION, theirVersion].map((line) => toBytes(Buffer.from(line, 'latin1')))
  const hashed = writeFields([...versions, ourInit, theirInit, key, ourPoint, point, secret])
  const over = toBytes(createHash('sha256').update(hashed).digest())
  const proven = provenKey({ algorithm, key, signature, over })
  socket.end(toPacket(farewell()))
  return proven
}

async function versionLine(input: SshInput): Promise<string> {
  for (let lines = 0; lines < LINES_MAX; lines += 1) {
    const line = await input.line()
    if (/^SSH-(2\.0|1\.99)-/.test(line)) return line
    if (line.startsWith('SSH-')) break
  }
  throw new NotSshError('there is no version line')
}

async function nextMessage(input: SshInput, wanted: number): Promise<Bytes> {
  for (let skipped = 0; skipped < SKIPPED_MAX; skipped += 1) {
    const payload = toBytes(await input.packet())
    if (payload[0] === wanted) return payload
    if (payload[0] !== MESSAGE.ignore && payload[0] !== MESSAGE.debug) break
  }
  throw new NotSshError('another message was expected')
}

const pointOf = (key: KeyObject): Bytes =>
  toBytes(Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url'))

/** Throws for the points of small order, which would make the secret known to everyone. */
function sharedSecret(privateKey: KeyObject, point: Bytes): Bytes {
  if (point.length !== POINT_BYTES) throw new NotSshError('the point has another length')
  const x = Buffer.from(point).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
  return toBytes(diffieHellman({ privateKey, publicKey }))
}
