import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Pool } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { proxmoxClient } from '../client.ts'
import { failureOf } from '../testing/failure-of.ts'
import { fakeTls, pinOf, renewedTls, startFakePve } from '../testing/fake-pve.ts'
import { failureOfConnect } from './connect-failure.ts'
import { inspectCertificate, normaliseFingerprint, type Pin, tlsOptions } from './tls.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function fakeWith(options: Parameters<typeof startFakePve>[1]) {
  const fake = await startFakePve(() => ({ data: { version: '9.1.4' } }), options)
  cleanups.push(fake.close)
  return fake
}

function clientOf(port: number, pin: Pin | undefined) {
  const auth = { kind: 'token', tokenId: 'vps@pve!app', secret: 'canary' } as const
  const client = proxmoxClient({
    hosts: [{ host: '127.0.0.1', port, ...(pin ? { pin } : {}) }],
    auth,
  })
  cleanups.push(client.close)
  return client
}

describe('a pinned certificate', () => {
  it('is accepted, as leaf or through its CA', async () => {
    const tls = fakeTls()
    const fake = await fakeWith({ tls })
    await clientOf(fake.port, pinOf(tls)).version.get()
    await clientOf(fake.port, { ...pinOf(tls), pem: tls.caPem }).version.get()
    expect(fake.requests).toHaveLength(2)
  })

  it('that changed is refused before any credential is sent, even under the same CA', async () => {
    const old = fakeTls()
    const fake = await fakeWith({ tls: renewedTls(old) })
    const changed = { kind: 'tls', reason: 'changed' }
    expect(await failureOf(clientOf(fake.port, pinOf(old)).version.get())).toEqual(changed)
    const byCa = { ...pinOf(old), pem: old.caPem }
    expect(await failureOf(clientOf(fake.port, byCa).version.get())).toEqual(changed)
    expect(await failureOf(clientOf(fake.port, byCa).qemu.start({ node: 'a', vmid: 100 }))).toEqual(
      changed,
    )
    expect(fake.connections).toBeGreaterThan(0)
    expect(fake.requests).toEqual([])
  })

  it('is required of a console socket too', async () => {
    const old = fakeTls()
    const fake = await fakeWith({ tls: renewedTls(old) })
    const open = clientOf(fake.port, pinOf(old)).vnc.open({ node: 'a', vmid: 100 })
    expect(await failureOf(open)).toEqual({ kind: 'tls', reason: 'changed' })
    expect(fake.requests).toEqual([])
  })

  it('is not forgotten when a session is resumed', async () => {
    const old = fakeTls()
    const ticketKeys = randomBytes(48)
    const pin = { ...pinOf(old), pem: old.caPem }
    const first = await fakeWith({ tls: old, ticketKeys })
    const client = clientOf(first.port, pin)
    const trap = new Pool(`https://127.0.0.1:${first.port}`, { connect: { ...tlsOptions(pin) } })
    cleanups.push(() => trap.destroy())
    await client.version.get()
    await trap.request({ method: 'GET', path: '/' }).then(({ body }) => body.dump())
    await first.close()
    cleanups.splice(0, 1)

    // The same port and session keys, another certificate: a resumed session presents none at all.
    const second = await fakeWith({ tls: renewedTls(old), ticketKeys, port: first.port })
    const { statusCode } = await trap.request({ method: 'GET', path: '/trapped' })
    expect(statusCode, 'without maxCachedSessions: 0 the pin is bypassed').toBe(200)
    expect(await failureOf(client.cluster.nextId())).toEqual({ kind: 'tls', reason: 'changed' })
    expect(second.requests.map((request) => request.path)).toEqual(['/trapped'])
  })

  it('is required for a certificate that no authority vouches for', async () => {
    const fake = await fakeWith({})
    const failure = await failureOf(clientOf(fake.port, undefined).version.get())
    expect(failure).toEqual({ kind: 'tls', reason: 'untrusted' })
    expect(fake.requests).toEqual([])
  })
})

describe('inspectCertificate', () => {
  it('reads the certificate, which can then be pinned, and sends nothing', async () => {
    const fake = await fakeWith({})
    const seen = await inspectCertificate('127.0.0.1', fake.port)
    expect(seen).toMatchObject({ fingerprint: fake.pin.fingerprint, subject: 'fake.test' })
    expect(seen.names).toContain('DNS:localhost')
    expect(seen.validTo.getTime()).toBeGreaterThan(Date.now())
    expect(fake.requests).toEqual([])
    await clientOf(fake.port, seen).version.get()
    expect(fake.requests).toHaveLength(1)
  })

  it('tells a closed port, a silent one and one without TLS apart', async () => {
    const plain = createServer((socket) => socket.resume().end('220 not TLS\r\n'))
    const silent = createServer()
    for (const server of [plain, silent]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      cleanups.push(async () => server.close())
    }
    const portOf = (server: typeof plain) => (server.address() as AddressInfo).port
    const inspect = (port: number) =>
      failureOf(inspectCertificate('127.0.0.1', port, { timeoutMs: 300 }))
    expect(await inspect(portOf(plain))).toEqual({ kind: 'tls', reason: 'not-tls' })
    expect(await inspect(portOf(silent))).toEqual({ kind: 'unreachable', reason: 'timeout' })
    const gone = portOf(plain)
    plain.close()
    await once(plain, 'close')
    expect(await inspect(gone)).toEqual({ kind: 'unreachable', reason: 'connection-refused' })
  })
})

it.each([
  ['ENOTFOUND', { kind: 'unreachable', reason: 'unknown-host' }],
  ['UND_ERR_CONNECT_TIMEOUT', { kind: 'unreachable', reason: 'timeout' }],
  ['EHOSTUNREACH', { kind: 'unreachable', reason: 'no-route' }],
  ['CERT_HAS_EXPIRED', { kind: 'tls', reason: 'expired' }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { kind: 'tls', reason: 'wrong-name' }],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { kind: 'tls', reason: 'changed' }],
])('recognises %s', (code, failure) => {
  expect(failureOfConnect(Object.assign(new Error(), { code }), { pinned: true })).toEqual(failure)
})

it('normalises fingerprints to one spelling', () => {
  expect(normaliseFingerprint('ab:cd')).toBe('AB:CD')
  expect(normaliseFingerprint('abcd ')).toBe('AB:CD')
})
