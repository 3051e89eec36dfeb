import { ClusterSettings } from '#shared/api/servers/clusters.ts'
import type { clusters } from '../../db/schema/infrastructure.ts'
import type { ClusterConnection } from '../../hypervisor/connect/connection.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { clusterPassword } from '../../secrets/sealed-columns.ts'

export type ClusterRow = typeof clusters.$inferSelect

/** The default settings. */
export const PLAIN_SETTINGS: ClusterSettings = {
  vmIdRange: { first: 10_000, last: 99_999 },
  pool: null,
  storage: null,
  cloneMode: 'full',
  directConsole: false,
  guestAgent: false,
}

export const settingsOf = (row: Pick<ClusterRow, 'settings'>): ClusterSettings =>
  ClusterSettings.parse({ ...PLAIN_SETTINGS, ...row.settings })

/** How the cluster of this row is reached, with its secret unsealed. */
export function connectionOf(row: ClusterRow, keyring: Keyring): ClusterConnection {
  const { host, port, username, tlsFingerprint: fingerprint, tlsPem: pem } = row
  return {
    host,
    port,
    username,
    secret: keyring.open(clusterPassword(row.uid), row.password),
    otherHosts: row.otherHosts,
    ...(fingerprint !== null && pem !== null ? { certificate: { fingerprint, pem } } : {}),
  }
}

/** The columns a connection is stored in. */
export function connectionColumns(connection: ClusterConnection, uid: string, keyring: Keyring) {
  const { host, port, username, secret, certificate } = connection
  return {
    host,
    port,
    username,
    password: keyring.seal(clusterPassword(uid), secret),
    tlsFingerprint: certificate?.fingerprint ?? null,
    tlsPem: certificate?.pem ?? null,
  }
}
