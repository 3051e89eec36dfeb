import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSim } from '#pve-sim/sim.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { startServer } from '../../src/server/start.ts'
import { freePort } from '../../src/server/testing/free-port.ts'
import { ADMIN, removeFolder, type ServerProcess } from '../../src/server/testing/server-process.ts'

/**
 * The product with a real payment provider and the demo's cluster. The configuration does not allow
 * this combination, so it is assembled here, inside the test process.
 */
export async function startShop(
  env: Record<string, string>,
): Promise<Pick<ServerProcess, 'url' | 'stop'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-shop-'))
  // Known before the start: the address that clients return to is part of the configuration.
  const port = String(await freePort())
  const sim = await startSim({ seed: 'demo', taskMs: 100 })
  const config = readConfig({
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    EMBEDDED_DB_IS_FINE: '1',
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_SCALE: '1000',
    LOG_LEVEL: 'warn',
    OPERATOR_SECOND_FACTOR: 'optional',
    ...env,
  })
  const { host, port: simPort, apiToken, fingerprint, certPem: pem } = sim
  const account = { username: apiToken.id, secret: apiToken.secret }
  const connection = { host, port: simPort, ...account, certificate: { fingerprint, pem } }
  const server = await startServer(config, {
    startDemo: async () => ({ connection, isReal: false }),
  })
  return {
    url: server.address,
    async stop() {
      await server.close()
      await sim.close()
      removeFolder(dataDir)
      return 0
    },
  }
}
