import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { createAudit } from './audit/audit-log.ts'
import type { Deps } from './deps.ts'
import { accountRoutes } from './features/account/account.routes.ts'
import { accountService } from './features/account/account.service.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { auditService } from './features/audit/audit.service.ts'
import { authRoutes } from './features/auth/auth.routes.ts'
import { authService } from './features/auth/auth.service.ts'
import { operatingSystemsRoutes } from './features/operating-systems/operating-systems.routes.ts'
import { operatingSystemsService } from './features/operating-systems/operating-systems.service.ts'
import { packagesRoutes } from './features/packages/packages.routes.ts'
import { packagesService } from './features/packages/packages.service.ts'
import { simulationRoutes } from './features/simulation/simulation.routes.ts'
import { simulationService } from './features/simulation/simulation.service.ts'
import { systemRoutes } from './features/system/system.routes.ts'
import { usersRoutes } from './features/users/users.routes.ts'
import { usersService } from './features/users/users.service.ts'
import { serveEventStream } from './http/event-stream.ts'
import { serveHealth } from './http/health.ts'
import { implementLater } from './http/implement.ts'
import { createMetrics, serveMetrics } from './http/metrics.ts'
import { prepareServer } from './http/server.ts'
import { createSessions } from './sessions/sessions.ts'

const DAY_MS = 86_400_000

/** Everything the server does, in reading order. Listens to nothing and starts no job. */
export async function buildApp(app: FastifyInstance, deps: Deps): Promise<void> {
  const { config, database, db, clock, events, jobs, log } = deps
  const sessions = createSessions(deps)
  const audit = createAudit(clock)
  const metrics = createMetrics()
  const own = { ...deps, sessions, audit }

  await prepareServer(app, { config, sessions, metrics, log })
  serveHealth(app, db, log)
  serveMetrics(app, metrics, config.metricsToken)
  serveEventStream(app, { events, sessions })

  systemRoutes(app, config, clock)
  authRoutes(app, authService(own))
  accountRoutes(app, accountService(own))
  simulationRoutes(app, simulationService(own))
  const users = usersService(own)
  usersRoutes(app, users)
  auditRoutes(app, auditService(own))

  packagesRoutes(app, packagesService(own))
  operatingSystemsRoutes(app, operatingSystemsService(own))

  implementLater(app, api.client)
  implementLater(app, api.clusters)
  implementLater(app, api.dashboard)
  implementLater(app, api.instances)
  implementLater(app, api.jobs)
  implementLater(app, api.marketplace)
  implementLater(app, api.nodes)
  implementLater(app, api.orders)
  implementLater(app, api.stats)
  implementLater(app, api.sync)
  implementLater(app, api.templates)
  implementLater(app, api.tokens)

  jobs.every('maintain-database', '17 * * * *', () => database.maintain())
  jobs.every('forget-sessions', '*/15 * * * *', () => sessions.prune())
  jobs.every('forget-events', '23 * * * *', () =>
    events.prune(new Date(clock.now().getTime() - DAY_MS)),
  )
  jobs.every('forget-addresses', '41 3 * * *', () => users.forgetAddresses())
}
