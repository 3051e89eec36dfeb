import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { ProxmoxOptions } from '#proxmox/client.ts'
import type { Address } from '#proxmox/transport/hosts.ts'
import { inspectCertificate, normaliseFingerprint } from '#proxmox/transport/tls.ts'
import { AppError } from '#shared/errors.ts'
import { toAppError } from '../port/hypervisor-errors.ts'

/** How a cluster is reached, as stored, with its secrets unsealed. */
export type ClusterConnection = {
  host: string
  port: number
  /** `user@realm`, or `user@realm!id` for an API token. */
  username: string
  /** The password, or the token's secret. */
  secret: string
  /** The certificate an admin has confirmed; without one the system's authorities decide. */
  certificate?: { fingerprint: string; pem: string } | undefined
  /** Other nodes of the same cluster, for failover. */
  otherHosts?: readonly Address[] | undefined
}

export function clientOptions(connection: ClusterConnection): ProxmoxOptions {
  const { host, port, username, secret, certificate, otherHosts = [] } = connection
  const own: Address = { host, port, ...(certificate ? { pin: certificate } : {}) }
  return {
    hosts: [own, ...otherHosts],
    auth: username.includes('!')
      ? { kind: 'token', tokenId: username, secret }
      : { kind: 'password', username, password: secret },
  }
}

export type SeenCertificate = {
  fingerprint: string
  pem: string
  subject: string
  issuer: string
  validTo: Date
}

/**
 * First contact, before any credential is sent: the host's certificate must be the one the admin
 * has confirmed. If it is not confirmed yet, or is another one, the error carries its details.
 */
export async function confirmCertificate(
  address: { host: string; port: number },
  confirmed: string | undefined,
): Promise<SeenCertificate> {
  const seen = await inspectCertificate(address.host, address.port).catch((error: unknown) => {
    throw toAppError(error)
  })
  if (confirmed !== undefined && normaliseFingerprint(confirmed) === seen.fingerprint) return seen
  const { fingerprint, subject, issuer, validTo } = seen
  const message =
    confirmed === undefined
      ? 'Compare the fingerprint with the one the cluster shows under its certificates, then confirm.'
      : 'The cluster shows another certificate than the one that was confirmed.'
  const details = { fingerprint, subject, issuer, validTo: validTo.toISOString() }
  throw new AppError('CERTIFICATE_UNTRUSTED', message, { details })
}

const TRUST_MS = 5_000

export type Certificate = {
  fingerprint: string
  /** The only certificate to trust; undefined if the system's authorities vouch for it. */
  pin: { fingerprint: string; pem: string } | undefined
}

/**
 * The certificate to continue with, before any credential is sent. If an admin has confirmed one,
 * only that one. Otherwise only one that the system's authorities vouch for, unpinned, so that
 * renewing it breaks nothing; for any other the error carries its details.
 */
export async function certificateOf(
  address: { host: string; port: number },
  confirmed: string | undefined,
): Promise<Certificate> {
  const vouched = confirmed === undefined ? await vouchedFor(address) : undefined
  if (vouched !== undefined) return { fingerprint: vouched, pin: undefined }
  const { fingerprint, pem } = await confirmCertificate(address, confirmed)
  return { fingerprint, pin: { fingerprint, pem } }
}

/** The fingerprint of a certificate that a browser would trust. Sends nothing but the handshake. */
function vouchedFor({ host, port }: { host: string; port: number }): Promise<string | undefined> {
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...servername })
    const answer = (fingerprint: string | undefined) => {
      resolve(fingerprint)
      socket.destroy()
    }
    socket.setTimeout(TRUST_MS, () => answer(undefined))
    socket.once('error', () => answer(undefined))
    socket.once('secureConnect', () =>
      answer(socket.authorized ? socket.getPeerCertificate().fingerprint256 : undefined),
    )
  })
}
