import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Sim } from '#pve-sim/sim.ts'
import { type Config, readConfig } from '../config/config.ts'
import { openDatabase } from '../db/connect/open.ts'
import { migrate } from '../db/migrate.ts'
import { templates } from '../db/schema/infrastructure.ts'
import { instances, type tokens } from '../db/schema/stock.ts'
import { createFastify } from '../http/server.ts'
import type { Deps } from '../runtime/deps.ts'
import { createSessions } from '../sessions/sessions.ts'
import { createDeps, stopInventory } from '../start.ts'
import { createFactories } from './factories.ts'
import { addSimCluster } from './with-sim.ts'

type Factories = ReturnType<typeof createFactories>
type TokenValues = Partial<typeof tokens.$inferInsert>
export type Prepared = Awaited<ReturnType<typeof openPrepared>>

/**
 * Works on the database of a server process: what a test needs before the first request, and checks
 * after the last. On PostgreSQL also while the server runs.
 */
export async function inDatabase<T>(
  env: Record<string, string>,
  dataDir: string,
  work: (inside: Prepared) => Promise<T>,
): Promise<T> {
  const inside = await openPrepared(readConfig({ ...env, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  try {
    return await work(inside)
  } finally {
    await inside.close()
  }
}

async function openPrepared(config: Config) {
  const database = await openDatabase(config, (error) => process.emitWarning(error))
  await migrate(database)
  const deps: Deps = await createDeps(config, database, createFastify(config).log)
  const make = createFactories(deps)
  const sessions = createSessions(deps)
  return {
    deps,
    db: deps.db,
    make,
    /** A client with a session; the cookie works in every process on this database. */
    async visitor() {
      const user = await make.client()
      const { token } = await deps.db.transaction((tx) => sessions.start(tx, user, 'Vitest'))
      return { user, cookie: `hushbox=${token}` }
    },
    cluster: (sim: Sim) => connect(deps, sim, make),
    async close() {
      await stopInventory(deps)
      await deps.events.close()
      await database.close()
    },
  }
}

/** Addresses for as many tokens as many concurrent buyers need. */
const POOL = {
  cidr: '198.18.0.0/16',
  gateway: '198.18.0.1',
  ranges: [{ first: '198.18.0.2', last: '198.18.255.254' }],
}

/** This simulator as a cluster, and the tokens made from it. */
async function connect(deps: Deps, sim: Sim, make: Factories) {
  const { db } = deps
  await addSimCluster(deps, sim, { pool: POOL })
  const [template] = await db.select().from(templates).orderBy(asc(templates.templateId))
  if (!template) throw new Error('the simulator has no template')
  const { id: templateId, nodeId } = template
  let last = 9
  return {
    nodeId,
    templateId,
    /** A token on sale whose VM does not exist yet. */
    token(values: TokenValues = {}) {
      last += 1
      const ipAddress = `198.18.${Math.floor(last / 256)}.${last % 256}`
      return make.token({ nodeId, templateId, ipAddress, monthlyPriceCents: 500, ...values })
    },
    /** Tokens of running VMs without an owner. */
    async ready(count: number) {
      const free = await db
        .select()
        .from(instances)
        .where(and(eq(instances.status, 'running'), isNull(instances.tokenId)))
        .orderBy(asc(instances.vmId))
        .limit(count)
      const made = free.map(async ({ id: instanceId, nodeId, vmId: proxmoxVmId }) => {
        const ready = { tokenType: 'ready', status: 'ready' } as const
        const stock = { nodeId, instanceId, proxmoxVmId, ...ready }
        const token = await make.token({ ...stock, monthlyPriceCents: 500 })
        await db.update(instances).set({ tokenId: token.id }).where(eq(instances.id, instanceId))
        return token
      })
      return await Promise.all(made)
    },
  }
}

/** Calls a server process with this cookie. */
export const callAs =
  (url: string, cookie: string) =>
  (path: string, method = 'GET', body?: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
