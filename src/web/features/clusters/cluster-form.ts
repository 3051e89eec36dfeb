import { type Cluster, ClusterCreate } from '#shared/api/servers/clusters.ts'
import { ApiError } from '../../api/api-error.ts'

/** As typed: the port is a string until it is sent. */
export type ConnectionFields = {
  name: string
  host: string
  port: string
  username: string
  password: string
  isDefault: boolean
}

export const EMPTY_CONNECTION: ConnectionFields = {
  name: '',
  host: '',
  port: '8006',
  username: '',
  password: '',
  isDefault: false,
}

export const connectionOf = (cluster: Cluster): ConnectionFields => ({
  name: cluster.name,
  host: cluster.host,
  port: String(cluster.port),
  username: cluster.username,
  password: '',
  isDefault: cluster.isDefault,
})

export const bodyOf = ({ port, ...rest }: ConnectionFields) => ({
  ...rest,
  port: port.trim() === '' ? Number.NaN : Number(port),
})

export const checkConnection = (fields: ConnectionFields) => ClusterCreate.safeParse(bodyOf(fields))

/** A missing password keeps the stored one. */
export const checkChanges = (fields: ConnectionFields) =>
  ClusterCreate.partial({ password: true }).safeParse(changesBody(fields))

export function changesBody(fields: ConnectionFields) {
  const { password, ...rest } = bodyOf(fields)
  return password === '' ? rest : { ...rest, password }
}

/** The certificate that the host presented when it was not trusted. */
export type SeenCertificate = {
  fingerprint: string
  subject: string | undefined
  issuer: string | undefined
  validTo: string | undefined
}

/** The certificate in the failure of an untrusted connection; undefined for other failures. */
export function certificateIn(error: unknown): SeenCertificate | undefined {
  if (!(error instanceof ApiError) || error.body?.code !== 'CERTIFICATE_UNTRUSTED') return undefined
  const { details } = error.body
  if (typeof details !== 'object' || details === null) return undefined
  const { fingerprint, subject, issuer, validTo } = details as Record<string, unknown>
  if (typeof fingerprint !== 'string') return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { fingerprint, subject: text(subject), issuer: text(issuer), validTo: text(validTo) }
}

/** "AA:BB:…" in groups of four pairs, for comparison by eye. */
export function fingerprintGroups(fingerprint: string): string[] {
  const pairs = fingerprint.split(':')
  const groups: string[] = []
  for (let at = 0; at < pairs.length; at += 4) groups.push(pairs.slice(at, at + 4).join(':'))
  return groups
}
