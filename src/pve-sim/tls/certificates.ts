import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import type { TlsMaterial } from '../state/types.ts'
import * as der from './der.ts'

const DAY = 86_400_000
const ECDSA_SHA256 = der.sequence(der.oid('1.2.840.10045.4.3.2'))
const NAME = { CN: '2.5.4.3', O: '2.5.4.10', OU: '2.5.4.11' }

type Name = { CN: string; OU: string; O: string }

function name(subject: Name): Buffer {
  const part = (key: keyof Name) =>
    der.set(der.sequence(der.oid(NAME[key]), der.utf8(subject[key])))
  return der.sequence(part('CN'), part('OU'), part('O'))
}

const spki = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })

/** SHA-1 of the whole SPKI: any stable value works as key identifier. */
const keyId = (key: KeyObject) => createHash('sha1').update(spki(key)).digest()

function extension(id: string, value: Buffer, critical = false): Buffer {
  const flag = critical ? [der.boolean(true)] : []
  return der.sequence(der.oid(id), ...flag, der.octets(value))
}

type CertificateSpec = {
  subject: Name
  issuer: Name
  key: KeyObject
  issuerKey: KeyObject
  from: number
  to: number
  extensions: Buffer[]
}

function certificate(spec: CertificateSpec): string {
  const identifiers = [
    extension('2.5.29.14', der.octets(keyId(spec.key))),
    extension('2.5.29.35', der.sequence(der.implicit(0, keyId(spec.issuerKey)))),
  ]
  const tbs = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    name(spec.issuer),
    der.sequence(der.time(spec.from), der.time(spec.to)),
    name(spec.subject),
    spki(spec.key),
    der.explicit(3, der.sequence(...identifiers, ...spec.extensions)),
  )
  const signature = sign('sha256', tbs, spec.issuerKey)
  const body = der.sequence(tbs, ECDSA_SHA256, der.bits(signature)).toString('base64')
  const lines = body.match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function alternativeNames(names: string[]): Buffer {
  const entries = names.map((entry) => {
    if (isIPv4(entry)) return der.implicit(7, Buffer.from(entry.split('.').map(Number)))
    if (isIPv6(entry)) return der.implicit(7, ipv6Bytes(entry))
    return der.implicit(2, Buffer.from(entry))
  })
  return der.sequence(...entries)
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const words = (text: string) => text.split(':').filter(Boolean)
  const left = words(head)
  const right = words(tail)
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const bytes = Buffer.alloc(16)
  for (const [i, word] of [...left, ...zeros, ...right].entries()) {
    bytes.writeUInt16BE(Number.parseInt(word, 16), i * 2)
  }
  return bytes
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

function authorityName(clusterId: string): Name {
  return { CN: 'Proxmox Virtual Environment', OU: clusterId, O: 'PVE Cluster Manager CA' }
}

export type LeafSpec = { clusterId: string; fqdn: string; names: string[]; now: number }

/** The cluster's own CA (10 years) and a first node certificate (2 years) under it. */
export function createTls(spec: LeafSpec): TlsMaterial {
  const key = newKey()
  const authority = authorityName(spec.clusterId)
  const caPem = certificate({
    subject: authority,
    issuer: authority,
    key,
    issuerKey: key,
    from: spec.now - DAY,
    to: spec.now + 3650 * DAY,
    extensions: [
      extension('2.5.29.19', der.sequence(der.boolean(true)), true),
      // keyCertSign and cRLSign
      extension('2.5.29.15', der.bits(Buffer.from([0x06]), 1), true),
    ],
  })
  return renewLeaf({ caKey: pem(key), caPem, leafKey: '', leafPem: '' }, spec)
}

/** What pveupdate does two weeks before expiry: a new leaf under the same CA. */
export function renewLeaf(tls: TlsMaterial, spec: LeafSpec): TlsMaterial {
  const key = newKey()
  const leafPem = certificate({
    subject: { CN: spec.fqdn, OU: 'PVE Cluster Node', O: 'Proxmox Virtual Environment' },
    issuer: authorityName(spec.clusterId),
    key,
    issuerKey: createPrivateKey(tls.caKey),
    from: spec.now - DAY,
    to: spec.now + 729 * DAY,
    extensions: [
      extension('2.5.29.19', der.sequence()),
      extension('2.5.29.37', der.sequence(der.oid('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.17', alternativeNames(spec.names)),
    ],
  })
  return { ...tls, leafKey: pem(key), leafPem }
}

export const fingerprint = (certPem: string) => new X509Certificate(certPem).fingerprint256

/** One entry of GET /nodes/{node}/certificates/info. */
export function certificateInfo(filename: string, certPem: string) {
  const cert = new X509Certificate(certPem)
  const slashes = (text: string) => `/${text.split('\n').reverse().join('/')}`
  const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)
  const san = (cert.subjectAltName ?? '').split(', ').filter(Boolean)
  return {
    filename,
    fingerprint: cert.fingerprint256,
    issuer: slashes(cert.issuer),
    subject: slashes(cert.subject),
    notbefore: seconds(cert.validFrom),
    notafter: seconds(cert.validTo),
    pem: certPem,
    'public-key-type': 'id-ecPublicKey',
    'public-key-bits': 256,
    san: san.map((entry) => entry.replace(/^(DNS|IP Address):/, '')),
  }
}
