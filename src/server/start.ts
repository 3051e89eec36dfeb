import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { type FirstAdmin, seed } from './db/seed.ts'
import { type Deps, systemClock } from './deps.ts'
import { createEventBus } from './events/event-bus.ts'
import { createFastify } from './http/server.ts'
import { serveWebApp } from './http/web-app.ts'
import { hypervisors } from './hypervisor/hypervisors.ts'
import { createJobs } from './jobs/jobs.ts'
import { systemRandom } from './random.ts'
import { createKeyring } from './secrets/keyring.ts'
import { loadSecretKey } from './secrets/secret-key.ts'

export type RunningServer = {
  address: string
  firstAdmin: FirstAdmin | undefined
  close(): Promise<void>
}

/** config → database → app → jobs → listen. What was opened is closed again if a later part fails. */
export async function startServer(config: Config): Promise<RunningServer> {
  const app = createFastify(config)
  const database = await openDatabase(config, (error) =>
    app.log.warn({ err: error }, 'a database connection was lost'),
  )
  try {
    return await serve(config, app, database)
  } catch (error) {
    await app.close()
    await database.close()
    throw error
  }
}

async function serve(
  config: Config,
  app: FastifyInstance,
  database: Database,
): Promise<RunningServer> {
  const { log } = app
  const applied = await migrate(database)
  if (applied.length > 0) log.info({ applied }, 'the database was migrated')
  const deps = await createDeps(config, database, log)
  const firstAdmin = await seed(deps.db, config, deps.random)
  await buildApp(app, deps)
  await serveWebApp(app, config)
  // Pages first: the queue needs a moment, and /readyz says when it is there.
  await app.listen({ host: config.host, port: config.port })
  await deps.jobs.start()
  return {
    address: config.publicUrl ?? localAddress(app, config),
    firstAdmin,
    async close() {
      await app.close()
      await deps.jobs.stop()
      await deps.hypervisors.close()
      await deps.events.close()
      await database.maintain()
      await database.close()
    },
  }
}

export async function createDeps(
  config: Config,
  database: Database,
  log: Deps['log'],
): Promise<Deps> {
  const clock = systemClock
  const events = await createEventBus(database, log)
  return {
    config,
    database,
    db: database.db,
    clock,
    random: systemRandom,
    keyring: createKeyring(loadSecretKey(config), config.previousSecretKey),
    events,
    jobs: createJobs({ database, events, clock, log }),
    hypervisors: hypervisors({}),
    log,
  }
}

function localAddress(app: FastifyInstance, config: Config): string {
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : config.port
  const host = config.host === '127.0.0.1' ? 'localhost' : config.host
  return `http://${host}:${port}`
}
