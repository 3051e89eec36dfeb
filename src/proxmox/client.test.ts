import { describe } from 'vitest'
import { startSim } from '#pve-sim/sim.ts'
import { proxmoxClient } from './client.ts'
import { clientSuite } from './testing/client-suite.ts'
import { inspectCertificate } from './transport/tls.ts'

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

const { PVE_URL, PVE_TOKEN_ID, PVE_TOKEN_SECRET, PVE_USERNAME, PVE_PASSWORD, PVE_TEMPLATE } =
  process.env

describe.skipIf(!PVE_URL)('against the cluster at PVE_URL', () => {
  clientSuite(async () => {
    const { hostname, port } = new URL(PVE_URL ?? '')
    const address = { host: hostname, port: Number(port || 8006) }
    const client = proxmoxClient({
      hosts: [address],
      // Setting PVE_URL means trusting the host that answers there.
      pin: await inspectCertificate(address.host, address.port),
      auth:
        PVE_TOKEN_ID === undefined
          ? { kind: 'password', username: PVE_USERNAME ?? '', password: PVE_PASSWORD ?? '' }
          : { kind: 'token', tokenId: PVE_TOKEN_ID, secret: PVE_TOKEN_SECRET ?? '' },
    })
    const template = PVE_TEMPLATE === undefined ? undefined : Number(PVE_TEMPLATE)
    return { client, template, close: async () => {} }
  })
})
