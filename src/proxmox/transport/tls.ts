import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { ProxmoxError } from '../wire/errors.ts'
import { failureOfConnect, PIN_MISMATCH } from './connect-failure.ts'

/**
 * Trust in exactly one certificate: its SHA-256 and a PEM it verifies against (itself or its CA).
 */
export type Pin = { readonly fingerprint: string; readonly pem: string }

export type TlsOptions = {
  rejectUnauthorized: true
  ca?: string
  allowPartialTrustChain?: true
  checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined
}

/**
 * TLS options of a pinned connection (facts §3), for undici and `ws` alike. The certificate is
 * trusted through `ca`, never by switching verification off: with `rejectUnauthorized: false` Node
 * does not call `checkServerIdentity` at all. Node also skips it on a resumed session, so callers
 * must not cache sessions (undici: `maxCachedSessions: 0`). Without a pin the system's authorities
 * decide.
 */
export function tlsOptions(pin: Pin | undefined): TlsOptions {
  if (pin === undefined) return { rejectUnauthorized: true }
  const expected = normaliseFingerprint(pin.fingerprint)
  return {
    ca: pin.pem,
    allowPartialTrustChain: true,
    rejectUnauthorized: true,
    checkServerIdentity: (_host, certificate) =>
      certificate.fingerprint256 === expected ? undefined : pinMismatch(),
  }
}

function pinMismatch(): Error {
  return Object.assign(new Error('not the pinned certificate'), { code: PIN_MISMATCH })
}

/** `AA:BB:…` in upper case, the spelling of PVE and of Node; accepts hex without colons. */
export function normaliseFingerprint(text: string): string {
  const hex = text.replaceAll(/[^0-9a-f]/gi, '').toUpperCase()
  return hex.match(/../g)?.join(':') ?? ''
}

export type InspectedCertificate = {
  fingerprint: string
  pem: string
  subject: string
  issuer: string
  names: string[]
  validFrom: Date
  validTo: Date
}

/**
 * First contact: reads the certificate that this host presents. Verifies and sends nothing; before
 * trusting it the caller asks a person, or compares it with what a pinned node says.
 */
export function inspectCertificate(
  host: string,
  port: number,
  options: { timeoutMs?: number } = {},
): Promise<InspectedCertificate> {
  const timeoutMs = options.timeoutMs ?? 5_000
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ...servername })
    const fail = (cause: unknown) => {
      socket.destroy()
      const failure = failureOfConnect(cause, { pinned: false })
      reject(new ProxmoxError(failure, `${host}:${port}: no certificate to inspect`, { cause }))
    }
    socket.setTimeout(timeoutMs, () => fail(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
    socket.once('error', fail)
    socket.once('close', () => fail(Object.assign(new Error(), { code: 'ECONNRESET' })))
    socket.once('secureConnect', () => {
      resolve(describe(socket.getPeerCertificate()))
      socket.destroy()
    })
  })
}

function describe(certificate: PeerCertificate): InspectedCertificate {
  const base64 = certificate.raw.toString('base64').match(/.{1,64}/g) ?? []
  return {
    fingerprint: certificate.fingerprint256,
    pem: ['-----BEGIN CERTIFICATE-----', ...base64, '-----END CERTIFICATE-----', ''].join('\n'),
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: certificate.subjectaltname?.split(', ') ?? [],
    validFrom: new Date(certificate.valid_from),
    validTo: new Date(certificate.valid_to),
  }
}

function nameOf(name: { CN?: string | string[]; O?: string | string[] } | undefined): string {
  return [name?.CN ?? name?.O ?? ''].flat().join(', ')
}
