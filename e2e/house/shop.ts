import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { Sim } from '#pve-sim/sim.ts'
import { nodes } from '../../src/server/db/schema/infrastructure.ts'
import { tokens } from '../../src/server/db/schema/stock.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { inDatabase, type Prepared } from '../../src/server/testing/prepare.ts'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { startTestSim } from '../../src/server/testing/with-sim.ts'
import { test as base } from './fixtures.ts'

/** Slow enough to watch the steps. */
const TASK_MS = 400

export type Shop = {
  /** The cluster, which a test can make fail. */
  sim: Sim
  /** Puts a token of this name on sale; its server will run on that node. */
  offer(name: string, values?: { monthlyPriceCents?: number; node?: string }): Promise<void>
  /** As if this much time had passed since the purchase: no page and no call can do that. */
  endsIn(name: string, ms: number): Promise<void>
  /** The node on which new servers are created. */
  node: string
  env: Record<string, string>
  dataDir: string
}

/** A server whose cluster and database a test can reach. */
export const test = base.extend<object, { shop: Shop }>({
  shop: [
    async ({}, use) => {
      const sim = await startTestSim({ taskMs: TASK_MS })
      const postgres = await startPostgres()
      const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-shop-'))
      const SECRET_KEY = 'a key for the shop of tests, long enough'
      const env = { DATABASE_URL: postgres.url, SECRET_KEY, DEMO: '0' }
      const inside = <T>(work: (inside: Prepared) => Promise<T>) => inDatabase(env, dataDir, work)
      const { nodeId, templateId } = await inside(({ cluster }) => cluster(sim))
      let last = 9
      await use({
        sim,
        env,
        dataDir,
        node: [...sim.state.vms.values()].find(({ vmid }) => vmid === 9000)?.node ?? '',
        async offer(name, { monthlyPriceCents = 500, node } = {}) {
          last += 1
          const ipAddress = `198.18.0.${last}`
          const values = { name, templateId, ipAddress, monthlyPriceCents }
          await inside(async ({ make, db }) => {
            const other = node && (await db.select().from(nodes).where(eq(nodes.name, node)))[0]?.id
            await make.token({ ...values, nodeId: other || nodeId })
          })
        },
        async endsIn(name, ms) {
          const expiresAt = new Date(Date.now() + ms)
          await inside(({ db }) =>
            db.update(tokens).set({ expiresAt }).where(eq(tokens.name, name)),
          )
        },
      })
      await postgres.stop()
      await sim.close()
      removeFolder(dataDir)
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  server: [
    async ({ shop }, use) => {
      const server = await startProcess(shop.env, shop.dataDir)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})
