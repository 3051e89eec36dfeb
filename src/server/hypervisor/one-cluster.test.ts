import { join } from 'node:path'
import { describe } from 'vitest'
import { proxmoxClient } from '#proxmox/client.ts'
import {
  hasRealCluster,
  realAddress,
  realAuth,
  realImages,
  realPool,
  realTemplate,
  whyNoCluster,
} from '#proxmox/testing/real-cluster.ts'
import { clientOptions } from './connect/connection.ts'
import { proxmoxHypervisor } from './proxmox/proxmox-hypervisor.ts'
import { clusterSuite } from './testing/cluster-suite.ts'
import { connectionTo, impatient, startCluster } from './testing/sim-cluster.ts'

describe.each(['7.4', '8.4', '9.1'] as const)('on a simulated PVE %s', (version) => {
  clusterSuite(async () => {
    const sim = await startCluster({ version })
    const connection = connectionTo(sim)
    return {
      client: proxmoxClient({ ...clientOptions(connection), pollMs: [5] }),
      hypervisor: proxmoxHypervisor(connection, impatient),
      template: 9004,
      close: () => sim.close(),
    }
  })
})

/** `store:500/vm-500-disk-0.qcow2` in the storage's folder of images. */
const imageIn = (folder: string) => (volume: string) => ({
  file: join(folder, volume.split(':')[1] ?? ''),
  format: 'qcow2' as const,
})

const canPlay = hasRealCluster && realTemplate !== undefined
if (!canPlay) process.stderr.write(`${whyNoCluster}, or PVE_TEMPLATE is not\n`)

describe.skipIf(!canPlay)('on the cluster at PVE_URL', () => {
  clusterSuite(async () => {
    const { pin: certificate, ...address } = await realAddress()
    const credentials =
      realAuth.kind === 'token'
        ? { username: realAuth.tokenId, secret: realAuth.secret }
        : { username: realAuth.username, secret: realAuth.password }
    const connection = { ...address, certificate, ...credentials }
    return {
      client: proxmoxClient(clientOptions(connection)),
      hypervisor: proxmoxHypervisor(connection),
      template: realTemplate ?? 0,
      pool: realPool,
      fileOf: realImages === undefined ? undefined : imageIn(realImages),
      close: async () => {},
    }
  })
})
