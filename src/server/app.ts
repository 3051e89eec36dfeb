import type { FastifyInstance } from 'fastify'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { createFailedLogins } from './accounts/failed-logins.ts'
import { createAudit } from './audit/audit-log.ts'
import { pruneAudit } from './audit/prune-audit.ts'
import { accountRoutes } from './features/account/account.routes.ts'
import { accountService } from './features/account/account.service.ts'
import { deletionService } from './features/account/deletion.service.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { auditService } from './features/audit/audit.service.ts'
import { authRoutes } from './features/auth/auth.routes.ts'
import { authService } from './features/auth/auth.service.ts'
import { billingRoutes } from './features/billing/billing.routes.ts'
import { billingService } from './features/billing/billing.service.ts'
import { clientRoutes } from './features/client/client.routes.ts'
import { clientService } from './features/client/client.service.ts'
import { clustersRoutes } from './features/clusters/clusters.routes.ts'
import { clustersService } from './features/clusters/clusters.service.ts'
import { consoleRoutes } from './features/console/console.routes.ts'
import { consoleService } from './features/console/console.service.ts'
import { createRelay } from './features/console/relay.ts'
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts'
import { dashboardService } from './features/dashboard/dashboard.service.ts'
import { removalsService } from './features/dashboard/removals.service.ts'
import { instancesRoutes } from './features/instances/instances.routes.ts'
import { instancesService } from './features/instances/instances.service.ts'
import { jobsRoutes } from './features/jobs/jobs.routes.ts'
import { jobsService } from './features/jobs/jobs.service.ts'
import { marketplaceRoutes } from './features/marketplace/marketplace.routes.ts'
import { marketplaceService } from './features/marketplace/marketplace.service.ts'
import { nodesRoutes } from './features/nodes/nodes.routes.ts'
import { nodesService } from './features/nodes/nodes.service.ts'
import { operatingSystemsRoutes } from './features/operating-systems/operating-systems.routes.ts'
import { operatingSystemsService } from './features/operating-systems/operating-systems.service.ts'
import { ordersRoutes } from './features/orders/orders.routes.ts'
import { ordersService } from './features/orders/orders.service.ts'
import { packagesRoutes } from './features/packages/packages.routes.ts'
import { packagesService } from './features/packages/packages.service.ts'
import { billingPlansService } from './features/payments/billing-plans.service.ts'
import { paymentsRoutes } from './features/payments/payments.routes.ts'
import { paymentsService } from './features/payments/payments.service.ts'
import { simulationRoutes } from './features/simulation/simulation.routes.ts'
import { simulationService } from './features/simulation/simulation.service.ts'
import { statsRoutes } from './features/stats/stats.routes.ts'
import { statsService } from './features/stats/stats.service.ts'
import { syncRoutes } from './features/sync/sync.routes.ts'
import { syncService } from './features/sync/sync.service.ts'
import { systemRoutes } from './features/system/system.routes.ts'
import { templatesRoutes } from './features/templates/templates.routes.ts'
import { templatesService } from './features/templates/templates.service.ts'
import { tokensRoutes } from './features/tokens/tokens.routes.ts'
import { tokensService } from './features/tokens/tokens.service.ts'
import { usersRoutes } from './features/users/users.routes.ts'
import { usersService } from './features/users/users.service.ts'
import { serveEventStream } from './http/event-stream.ts'
import { serveHealth } from './http/observe/health.ts'
import { createMetrics, type Metrics, serveMetrics } from './http/observe/metrics.ts'
import { prepareServer } from './http/server.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { createLimiters } from './limits/limiters.ts'
import { createIncoming } from './payments/incoming.ts'
import { createProvisioning } from './provisioning/provisioning.ts'
import type { Deps } from './runtime/deps.ts'
import { createSessions } from './sessions/sessions.ts'

/** A server is never stopped early, and at most this late. */
const TICK_MS = 3000
const LAPSE_MS = 10_000

/** Everything the server does, in reading order. Listens to nothing and starts no job. */
export async function buildApp(
  app: FastifyInstance,
  deps: Deps,
  metrics: Metrics = createMetrics(),
): Promise<void> {
  const { config, database, db, clock, events, jobs, log } = deps
  const sessions = createSessions(deps)
  const audit = createAudit(clock)
  const limiters = createLimiters(deps)
  const idempotency = createIdempotency(deps)
  const failures = createFailedLogins(deps)
  const own = { ...deps, sessions, audit, limiters, failures }

  await prepareServer(app, { config, sessions, limiters, idempotency, metrics, log })
  serveHealth(app, db, log, { needsJobs: config.mode !== 'web' })
  serveMetrics(app, metrics, config.metricsToken)
  serveEventStream(app, { events, sessions, log, metrics })

  systemRoutes(app, config, clock)
  authRoutes(app, authService(own))
  accountRoutes(app, { account: accountService(own), deletion: deletionService(own) })
  simulationRoutes(app, simulationService(own))
  const provisioning = createProvisioning(own)
  const users = usersService({ ...own, suspensions: provisioning.suspensions })
  usersRoutes(app, users)
  auditRoutes(app, auditService(own))

  packagesRoutes(app, packagesService(own))
  operatingSystemsRoutes(app, operatingSystemsService(own))

  clustersRoutes(app, clustersService(own))
  syncRoutes(app, syncService(own))
  nodesRoutes(app, nodesService(own))
  templatesRoutes(app, templatesService(own))
  instancesRoutes(app, instancesService({ ...provisioning, ...own }))
  statsRoutes(app, statsService(own))
  dashboardRoutes(app, dashboardService(own), removalsService(own))
  jobsRoutes(app, jobsService(own))

  const consoles = consoleService(own)
  await consoleRoutes(
    app,
    { service: consoles, relay: createRelay({ ...own, metrics, service: consoles }) },
    config,
  )

  tokensRoutes(app, tokensService({ ...own, start: provisioning.jobs.start }))
  marketplaceRoutes(app, marketplaceService({ ...own, ...provisioning }))
  clientRoutes(app, clientService({ ...own, ...provisioning }))
  ordersRoutes(app, ordersService({ ...provisioning, ...own, ...provisioning.jobs }))

  const incoming = createIncoming({ ...provisioning, ...own })
  billingRoutes(app, {
    billing: billingService({ ...own, ...provisioning }),
    packageOrders: provisioning.packageOrders,
    subscriptions: incoming.subscriptions,
  })
  paymentsRoutes(app, {
    payments: paymentsService({ ...provisioning, ...incoming, ...own }),
    plans: billingPlansService(own),
    webhooks: incoming.webhooks,
  })

  provisioning.defineJobs()
  jobs.define(incoming.webhooks.job)
  jobs.every('poll-payments', '* * * * *', incoming.poll.run)
  jobs.often('expire-tokens', TICK_MS, provisioning.sweep)
  jobs.often('lapse-orders', LAPSE_MS, provisioning.lapse)
  jobs.every('maintain-database', '17 * * * *', () => database.maintain())
  jobs.every('forget-sessions', '*/15 * * * *', () => sessions.prune())
  jobs.every('forget-limits', '*/15 * * * *', () => limiters.prune())
  jobs.every('forget-presses', '*/15 * * * *', () => idempotency.prune())
  jobs.every('forget-events', '23 * * * *', () =>
    events.prune(new Date(clock.now().getTime() - DAY_MS)),
  )
  jobs.every('forget-reports', '53 3 * * *', () => incoming.reports.prune())
  jobs.every('report-failed-logins', '1 * * * *', () => failures.report(audit))
  jobs.every('forget-failed-logins', '47 3 * * *', () => failures.prune())
  jobs.every('forget-audit', '11 4 * * *', pruneAudit(own))
  jobs.every('forget-addresses', '41 3 * * *', () => users.forgetAddresses())
}
