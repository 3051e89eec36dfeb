import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fingerprintOf } from '#shared/rules/ssh/public-key.ts'
import { bytesOf, joinBytes, writeFields } from '#shared/rules/ssh/wire.ts'
import { readHostKeys } from './read-host-keys.ts'
import { type Behaviour, listen, startSshServer, TEST_KEYS } from './testing/ssh-server.ts'

const read = (port: number, timeoutMs = 5000) =>
  readHostKeys({ address: '127.0.0.1', port, timeoutMs })

async function answerOf(behaviour: Behaviour) {
  const server = await startSshServer(behaviour)
  onTestFinished(server.close)
  return await read(server.port)
}

const ed25519 = TEST_KEYS.ed25519()
const rsa = TEST_KEYS.rsa512()
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const NOT_SSH = { is: 'not-ssh' }
const NO_ANSWER = { is: 'no-answer' }

describe('the host keys of a server that tells the truth', () => {
  test('are read one kind after the other, each with its fingerprint', async () => {
    const keys = [ed25519, TEST_KEYS.ecdsa256(), rsa]
    const found = await answerOf({ keys })
    expect(found).toMatchObject({
      is: 'keys',
      keys: [
        { type: 'ssh-ed25519', publicKey: base64(ed25519.blob) },
        { type: 'ecdsa-sha2-nistp256' },
        { type: 'ssh-rsa', publicKey: base64(rsa.blob) },
      ],
    })
    for (const key of found.is === 'keys' ? found.keys : []) {
      expect(key.fingerprint).toBe(await fingerprintOf(`${key.type} ${key.publicKey}`))
    }
  })

  // ECDSA numbers are now and then shorter than the curve: often enough to meet one.
  test.each(Object.keys(TEST_KEYS))('prove a key of the kind %s again and again', async (kind) => {
    const key = TEST_KEYS[kind as keyof typeof TEST_KEYS]()
    const server = await startSshServer({ keys: [key] })
    onTestFinished(server.close)
    for (let times = 0; times < 10; times += 1) {
      expect(await read(server.port)).toMatchObject({
        is: 'keys',
        keys: [{ publicKey: base64(key.blob) }],
      })
    }
  })

  test('are read behind a greeting and messages without a meaning', async () => {
    const debug = Uint8Array.of(4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    const chatter = [Uint8Array.of(2, 0, 0, 0, 0), debug]
    const greeting = 'Welcome.\r\nNo bots.\n'
    expect(await answerOf({ keys: [ed25519], greeting, chatter })).toMatchObject({ is: 'keys' })
  })

  test('are none where it has only kinds we do not know', async () => {
    const unknown = { ...ed25519, algorithm: 'ssh-dss' }
    expect(await answerOf({ keys: [unknown] })).toEqual({ is: 'keys', keys: [] })
  })
})

const LIES: Record<string, Partial<Behaviour>> = {
  'a signature by another key': {
    lie: (reply) => ({ ...reply, key: TEST_KEYS.ed25519().blob }),
  },
  'a signature over something else': {
    lie: (reply, key) => ({
      ...reply,
      signature: writeFields([bytesOf('ssh-ed25519'), key.sign(bytesOf('something else'))]),
    }),
  },
  'an empty signature': { lie: (reply) => ({ ...reply, signature: new Uint8Array() }) },
  'a key of another type than agreed': { lie: (reply) => ({ ...reply, key: rsa.blob }) },
  'a key that signs, with more in it than a key of its type has': {
    keys: [{ ...ed25519, blob: joinBytes([ed25519.blob, writeFields([bytesOf('more')])]) }],
  },
  'a signature of another type than agreed': {
    lie: (reply, key) => ({
      ...reply,
      signature: writeFields([bytesOf('rsa-sha2-512'), key.sign(bytesOf('x'))]),
    }),
  },
  'a point that makes the secret zero': {
    lie: (reply) => ({ ...reply, point: new Uint8Array(32) }),
  },
  'a point that is too short': { lie: (reply) => ({ ...reply, point: new Uint8Array(31) }) },
  'a packet of zero bytes': { damage: () => Buffer.alloc(16) },
  'a packet of 4 GB': { damage: () => Buffer.alloc(64, 0xff) },
  'padding longer than its packet': {
    damage: (packet) => Buffer.concat([packet.subarray(0, 4), Buffer.of(255), packet.subarray(5)]),
  },
}

describe('what is no proof', () => {
  test.each(Object.entries(LIES))('is %s', async (_, lie) => {
    expect(await answerOf({ keys: [ed25519], ...lie })).toEqual(NOT_SSH)
  })

  test('is an answer with one byte changed, wherever it is', async () => {
    // Up to the padding, which carries nothing.
    for (let at = 5; at < 184; at += 13) {
      const damage = (packet: Buffer) => {
        const changed = Buffer.from(packet)
        changed[at] = (changed[at] ?? 0) ^ 1
        return changed
      }
      expect(await answerOf({ keys: [ed25519], damage }), `byte ${at}`).toEqual(NOT_SSH)
    }
  })

  test('is an answer that breaks off', async () => {
    const server = await listen((socket) => socket.end('SSH-2.0-Test\r\n\0\0'))
    onTestFinished(server.close)
    expect(await read(server.port)).toEqual(NOT_SSH)
  })

  test('is a web server', async () => {
    const web = createServer((_, reply) => reply.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => web.once('listening', resolve))
    onTestFinished(() => void web.close())
    expect(await read((web.address() as AddressInfo).port)).toEqual(NOT_SSH)
  })

  test.each([
    ['one endless line', 'a'],
    ['endless lines', 'a line\n'],
    ['endless messages', `SSH-2.0-Test\r\n${'\0\0\0\x0c\x0a\x02'.padEnd(16, '\0').repeat(999)}`],
  ])('is %s, of which only the beginning is read', async (_, part) => {
    const server = await listen((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(part.repeat(1000), 'latin1'));
      }
      socket.on('drain', pour)
      pour()
    })
    onTestFinished(server.close)
    expect(await read(server.port, 60_000)).toEqual(NOT_SSH)
  })
})

describe('no answer', () => {
  test('is a port on which nobody listens, and a name instead of an address', async () => {
    const server = await listen(() => undefined)
    await server.close()
    expect(await read(server.port)).toEqual(NO_ANSWER)
    const named = { address: 'localhost', port: server.port, timeoutMs: 5000 }
    expect(await readHostKeys(named)).toEqual(NO_ANSWER)
  })

  test('is silence until the time is over, and the connection is closed', async () => {
    const server = await listen((socket) => socket.resume())
    onTestFinished(server.close)
    expect(await read(server.port, 50)).toEqual(NO_ANSWER)
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  test('is what is given up by the caller', async () => {
    const stop = new AbortController()
    const server = await listen(() => stop.abort())
    onTestFinished(server.close)
    const place = { address: '127.0.0.1', port: server.port, timeoutMs: 60_000 }
    expect(await readHostKeys({ ...place, signal: stop.signal })).toEqual(NO_ANSWER)
    expect(await readHostKeys({ ...place, signal: stop.signal })).toEqual(NO_ANSWER)
  })
})
