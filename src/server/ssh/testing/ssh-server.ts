import { createHash, createPublicKey, diffieHellman, generateKeyPairSync, sign } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Bytes, bytesOf, joinBytes, readFields, writeFields } from '#shared/rules/ssh/wire.ts'
import { kexInit, MESSAGE, mpint, readKexInit, toBytes } from '../messages.ts'
import { sshInput, toPacket } from '../ssh-input.ts'

type Place = { host?: string; port?: number }

/** Listens on a port of this machine, and answers each connection as the test says. */
export async function listen(
  onSocket: (socket: Socket) => unknown,
  { host = '127.0.0.1', port = 0 }: Place = {},
) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type TestKey = { algorithm: string; blob: Bytes; sign(over: Bytes): Bytes }

const number = (base64url: string | undefined) =>
  mpint(toBytes(Buffer.from(base64url ?? '', 'base64url')))
const text = (...parts: (string | Bytes)[]) =>
  writeFields(parts.map((part) => (typeof part === 'string' ? bytesOf(part) : part)))

function ed25519(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = toBytes(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  return {
    algorithm: 'ssh-ed25519',
    blob: text('ssh-ed25519', x),
    sign: (over) => toBytes(sign(null, over, privateKey)),
  }
}

function ecdsa(bits: 256 | 384 | 521, hash: string): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: `P-${bits}` })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ])
  const algorithm = `ecdsa-sha2-nistp${bits}`
  return {
    algorithm,
    blob: text(algorithm, `nistp${bits}`, toBytes(point)),
    sign: (over) => {
      const made = toBytes(sign(hash, over, { key: privateKey, dsaEncoding: 'ieee-p1363' }))
      const half = made.length / 2
      return writeFields([mpint(made.subarray(0, half)), mpint(made.subarray(half))])
    },
  }
}

function rsa(hash: 'sha256' | 'sha512'): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { e, n } = publicKey.export({ format: 'jwk' })
  return {
    algorithm: `rsa-sha2-${hash.slice(3)}`,
    blob: text('ssh-rsa', number(e), number(n)),
    sign: (over) => toBytes(sign(hash, over, privateKey)),
  }
}

export const TEST_KEYS = {
  ed25519,
  ecdsa256: () => ecdsa(256, 'sha256'),
  ecdsa384: () => ecdsa(384, 'sha384'),
  ecdsa521: () => ecdsa(521, 'sha512'),
  rsa256: () => rsa('sha256'),
  rsa512: () => rsa('sha512'),
}

type Reply = { key: Bytes; point: Bytes; signature: Bytes }
export type Behaviour = {
  keys: readonly TestKey[]
  /** Before the version line. */
  greeting?: string
  /** Before the answer: messages that a client skips. */
  chatter?: readonly Bytes[]
  /** Changes the answer after it was made. */
  lie?: (reply: Reply, key: TestKey) => Reply
  /** Changes the bytes of the last packet. */
  damage?: (packet: Buffer) => Buffer
}

/** The server's half of the exchange, true or not. */
export const startSshServer = (behaviour: Behaviour, place?: Place) =>
  listen((socket) => {
    serve(socket, behaviour).catch(() => socket.destroy())
  }, place)

const VERSION = 'SSH-2.0-Test'

async function serve(socket: Socket, { keys, greeting = '', ...behaviour }: Behaviour) {
  const { chatter = [], lie = (reply) => reply, damage = (packet) => packet } = behaviour
  socket.write(`${greeting}${VERSION}\r\n`)
  const input = sshInput(socket)
  const theirVersion = await input.line()
  const ourInit = kexInit(keys.map(({ algorithm }) => algorithm))
  socket.write(toPacket(ourInit))
  const theirInit = toBytes(await input.packet())
  const wanted = readKexInit(theirInit).algorithms
  const key = keys.find(({ algorithm }) => wanted.includes(algorithm))
  if (!key) return void socket.end()
  const [theirPoint] = readFields(toBytes(await input.packet()).subarray(1)) ?? []
  if (!theirPoint) return void socket.end()

  const own = generateKeyPairSync('x25519')
  const x = Buffer.from(theirPoint).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
  const secret = mpint(toBytes(diffieHellman({ privateKey: own.privateKey, publicKey })))
  const ownX = own.publicKey.export({ format: 'jwk' }).x ?? ''
  const point = toBytes(Buffer.from(ownX, 'base64url'))
  const hashed = text(
    theirVersion,
    VERSION,
    theirInit,
    ourInit,
    key.blob,
    theirPoint,
    point,
    secret,
  )
  const over = toBytes(createHash('sha256').update(hashed).digest())
  const honest = { key: key.blob, point, signature: text(key.algorithm, key.sign(over)) }
  const said = lie(honest, key)
  for (const message of chatter) socket.write(toPacket(message))
  const fields = writeFields([said.key, said.point, said.signature])
  socket.write(damage(toPacket(joinBytes([Uint8Array.of(MESSAGE.ecdhReply), fields]))))
  await input.packet()
}
