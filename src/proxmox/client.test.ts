import { describe } from 'vitest'
import { startSim } from '#pve-sim/sim.ts'
import { proxmoxClient } from './client.ts'
import { clientSuite } from './testing/client-suite.ts'
import {
  hasRealCluster,
  realAddress,
  realAuth,
  realTemplate,
  whyNoCluster,
} from './testing/real-cluster.ts'

const VERSIONS = ['7.4', '8.4', '9.1'] as const
const AUTHS = ['token', 'password'] as const
const CASES = VERSIONS.flatMap((version) => AUTHS.map((auth) => ({ version, auth })))

describe.each(CASES)('against the simulator, PVE $version by $auth', ({ version, auth }) => {
  clientSuite(async () => {
    const sim = await startSim({ version, taskMs: 10, authDelayMs: 0, lagMs: 0 })
    const client = proxmoxClient({
      hosts: [{ host: sim.host, port: sim.port }],
      pin: { fingerprint: sim.fingerprint, pem: sim.certPem },
      auth:
        auth === 'token'
          ? { kind: 'token', tokenId: sim.apiToken.id, secret: sim.apiToken.secret }
          : { kind: 'password', username: sim.username, password: sim.password },
      pollMs: [10],
    })
    return { client, template: 9000, close: () => sim.close() }
  })
})

if (!hasRealCluster) process.stderr.write(`${whyNoCluster}\n`)

describe.skipIf(!hasRealCluster)('against the cluster at PVE_URL', () => {
  clientSuite(async () => {
    const client = proxmoxClient({ hosts: [await realAddress()], auth: realAuth })
    return { client, template: realTemplate, close: async () => {} }
  })
})
