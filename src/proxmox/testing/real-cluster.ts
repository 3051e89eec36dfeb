import type { ProxmoxOptions } from '../client.ts'
import { inspectCertificate } from '../transport/tls.ts'

const { PVE_URL, PVE_TOKEN_ID, PVE_TOKEN_SECRET, PVE_USERNAME, PVE_PASSWORD } = process.env
const { PVE_TEMPLATE, PVE_IMAGES, PVE_POOL } = process.env

/** A Proxmox VE that was named for tests. Without one its tests are skipped. */
export const hasRealCluster = PVE_URL !== undefined && PVE_URL !== ''
export const whyNoCluster = 'PVE_URL is not set: tests against a real Proxmox VE are skipped'

/** May be cloned, and its clones destroyed; without one tests only read. */
export const realTemplate = PVE_TEMPLATE === undefined ? undefined : Number(PVE_TEMPLATE)

export const realPool = PVE_POOL

/** The folder of its disks, where they are qcow2 files and the cluster is this very machine. */
export const realImages = PVE_IMAGES

export const realAuth: ProxmoxOptions['auth'] =
  PVE_TOKEN_ID === undefined
    ? { kind: 'password', username: PVE_USERNAME ?? '', password: PVE_PASSWORD ?? '' }
    : { kind: 'token', tokenId: PVE_TOKEN_ID, secret: PVE_TOKEN_SECRET ?? '' }

/** Setting PVE_URL means trusting the host that answers there. */
export async function realAddress() {
  const { hostname, port } = new URL(PVE_URL ?? '')
  const address = { host: hostname, port: Number(port || 8006) }
  return { ...address, pin: await inspectCertificate(address.host, address.port) }
}
