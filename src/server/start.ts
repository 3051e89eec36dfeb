import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { backupBeforeMigration } from './backup/before-migration.ts'
import { serveBackups } from './commands/backup-socket.ts'
import type { Config } from './config/config.ts'
import { loadSecretKey } from './config/secret-key.ts'
import { openDatabase } from './db/connect/open.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { createEventBus } from './events/event-bus.ts'
import { type DemoCluster, storeDemoCluster } from './first-start/demo-cluster.ts'
import { stockDemo } from './first-start/demo-stock.ts'
import { type FirstAdmin, seed } from './first-start/seed.ts'
import { serveWebApp } from './http/browser/web-app.ts'
import { serveHealth } from './http/observe/health.ts'
import { createMetrics, type Metrics, serveMetrics } from './http/observe/metrics.ts'
import { createFastify } from './http/server.ts'
import { hypervisors } from './hypervisor/hypervisors.ts'
import { clusterLinks } from './inventory/clusters/cluster-links.ts'
import { inventorySync } from './inventory/sync/inventory-sync.ts'
import { instanceList } from './inventory/views/instance-list.ts'
import { createJobs } from './jobs/jobs.ts'
import { createBackground } from './lib/background.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { systemRandom } from './lib/random.ts'
import { visitorsWays } from './payments/ways/visitors-ways.ts'
import type { Deps } from './runtime/deps.ts'
import type { FaultKind } from './runtime/last-resort.ts'
import { readReference, steadyClock, watchClock } from './runtime/steady-clock.ts'
import { createKeyring } from './secrets/keyring.ts'
import { trafficCounter } from './traffic/count/traffic-counter.ts'

export type RunningServer = {
  address: string
  firstAdmin: FirstAdmin | undefined
  /** Logs and counts faults that reached the last resort. */
  report(error: unknown, kind: FaultKind): void
  close(): Promise<void>
}

/** Called once this process holds the data folder: the simulated cluster keeps its state there. */
export type StartDemo = () => Promise<DemoCluster>

/**
 * config → database → app → jobs → listen. If a later part fails, the opened ones are closed again.
 */
export async function startServer(
  config: Config,
  { startDemo }: { startDemo?: StartDemo } = {},
): Promise<RunningServer> {
  const app = createFastify(config)
  const database = await openDatabase(config, (error) =>
    app.log.warn({ err: error }, 'a database connection was lost'),
  )
  try {
    return await serve(config, app, database, startDemo)
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
  startDemo: StartDemo | undefined,
): Promise<RunningServer> {
  const { log } = app
  const secret = loadSecretKey(config)
  const copy = await backupBeforeMigration(database, config.dataDir, secret)
  if (copy !== undefined) log.info({ copy }, 'a backup was made before the migration')
  const applied = await migrate(database)
  if (applied.length > 0) log.info({ applied }, 'the database was migrated')
  const reference = await readReference(database.db)
  const clock = steadyClock(reference.at)
  const deps = await createDeps(config, database, log, clock)
  const stopWatching = watchClock({ db: database.db, log }, clock, reference)
  const firstAdmin = await seed(deps.db, config, deps.random)
  const metrics = createMetrics()
  await buildApp(app, deps, metrics)
  const front = config.mode === 'worker' ? await createWorkerFront(deps, metrics) : app
  if (front === app) await serveWebApp(app, config, () => visitorsWays(deps))
  // Pages first: the queue takes a moment, and /readyz reports when it is up.
  await front.listen({ host: config.host, port: config.port })
  // A job that goes on needs its cluster; that of the demo has a new address first.
  if (!startDemo) await deps.links.start()
  await deps.jobs.start()
  // The start does not wait for any cluster.
  deps.background.run('connecting the clusters', () => connectClusters(deps, startDemo))
  const closeBackups = await offerBackups(deps, secret)
  return {
    address: (front === app && config.publicUrl) || localAddress(front, config),
    firstAdmin,
    report(error, kind) {
      metrics.fault(kind)
      log.error({ err: error, kind }, 'a fault nobody caught; the process goes on')
    },
    close: () =>
      inTurn(log, {
        'the watch of the clock': async () => stopWatching(),
        'backups and commands': closeBackups,
        'open requests': () => front.close(),
        'the app of a worker': async () => front !== app && (await app.close()),
        jobs: () => deps.jobs.stop(),
        clusters: () => stopInventory(deps),
        events: () => deps.events.close(),
        'the database’s housekeeping': () => database.maintain(),
        'the database': () => database.close(),
      }),
  }
}

/** The process is ended after ten seconds: by then its log has to name the part that did not end. */
const SLOW_PART_MS = 5000

/**
 * Closes all parts, even if one of them fails because the database is unreachable; then throws the
 * failure.
 */
async function inTurn(log: Log, parts: Record<string, () => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = []
  for (const [part, close] of Object.entries(parts)) {
    const slow = setTimeout(() => log.warn({ part }, 'closing: a part takes long'), SLOW_PART_MS)
    try {
      await close()
    } catch (error) {
      log.error({ err: error, part }, 'closing: a part failed')
      failures.push(error)
    } finally {
      clearTimeout(slow)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * The demo first: its row has the address of the last start. Its failure does not affect the
 * others.
 */
async function connectClusters(deps: Deps, startDemo: StartDemo | undefined): Promise<void> {
  deps.sync.start()
  deps.traffic.start()
  let demo: number | undefined
  try {
    if (startDemo) demo = await storeDemoCluster(deps, await startDemo())
  } finally {
    await deps.links.start()
  }
  if (demo === undefined) return
  // A page gives up quickly; the first stock of the demo waits for the answer.
  await deps.hypervisors.of(demo).inventory.refresh()
  await deps.sync.now(demo)
  await stockDemo(deps, demo)
}

/** A worker has the same parts, but serves only its health. */
async function createWorkerFront(
  { config, db, log }: Deps,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const front = createFastify(config)
  serveHealth(front, db, log, { needsJobs: true })
  serveMetrics(front, metrics, config.metricsToken)
  await front.ready()
  return front
}

/**
 * For the operator's commands; only the embedded database needs it. Skipped for a folder whose path
 * is too long for a socket.
 */
async function offerBackups(
  { config, database, clock, log }: Deps,
  secret: string,
): Promise<() => Promise<void>> {
  if (database.kind === 'postgres') return async () => {}
  try {
    return await serveBackups({ database, dataDir: config.dataDir, secret, clock, log })
  } catch (error) {
    log.warn({ err: error }, 'backups and other commands are not possible while this server runs')
    return async () => {}
  }
}

/**
 * In this order: nothing new begins, calls that wait for a cluster are cancelled, their results are
 * stored.
 */
export async function stopInventory(deps: Deps): Promise<void> {
  deps.sync.stop()
  deps.traffic.stop()
  await deps.links.stop()
  await deps.hypervisors.close()
  await deps.background.idle()
}

export async function createDeps(
  config: Config,
  database: Database,
  log: Deps['log'],
  clock: Deps['clock'] = systemClock,
): Promise<Deps> {
  const events = await createEventBus(database, log)
  return withInventory({
    config,
    database,
    db: database.db,
    clock,
    random: systemRandom,
    keyring: createKeyring(loadSecretKey(config), config.previousSecretKey),
    events,
    jobs: createJobs({ database, events, clock, log, isWorker: config.mode !== 'web' }),
    hypervisors: hypervisors({ allowsLoopback: config.demo }),
    log,
  })
}

/** The parts that keep connections and tables in step with the clusters. */
export function withInventory(
  deps: Omit<Deps, 'background' | 'instanceList' | 'links' | 'sync' | 'traffic'>,
): Deps {
  const background = createBackground(deps.log)
  return {
    ...deps,
    background,
    links: clusterLinks(deps),
    sync: inventorySync({ ...deps, background }),
    instanceList: instanceList(deps.db),
    traffic: trafficCounter({ ...deps, background }),
  }
}

function localAddress(app: FastifyInstance, config: Config): string {
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : config.port
  const host = config.host === '127.0.0.1' ? 'localhost' : config.host
  return `http://${host}:${port}`
}
