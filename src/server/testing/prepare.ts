import type { Sim } from '#pve-sim/sim.ts'
import { type Config, readConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { nodes, templates } from '../db/schema/infrastructure.ts'
import type { Deps } from '../deps.ts'
import { createFastify } from '../http/server.ts'
import type { ClusterRow } from '../inventory/cluster-store.ts'
import { createSessions } from '../sessions/sessions.ts'
import { createDeps, stopInventory } from '../start.ts'
import { createFactories } from './factories.ts'
import { addSimCluster } from './with-sim.ts'

export type Prepared = Awaited<ReturnType<typeof openPrepared>>

/**
 * Works on the database of a server process while that process does not run: what a test needs to
 * be there before the first request, and a look at what is left after the last.
 */
export async function whileStopped<T>(
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
    /** This simulator as a cluster, and what tokens are made of in it. */
    async cluster(sim: Sim, templateId = 9004) {
      const cluster: ClusterRow = await addSimCluster(deps, sim)
      const [node] = await deps.db.select().from(nodes)
      const found = await deps.db.select().from(templates)
      const template = found.find((row) => row.templateId === templateId) ?? found[0]
      if (!node || !template) throw new Error('the simulator has no node or no template')
      return { cluster, node, template }
    },
    async close() {
      await stopInventory(deps)
      await deps.events.close()
      await database.close()
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
