import type { FastifyInstance } from 'fastify'
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
import { serversRoutes } from './features/servers/servers.routes.ts'
import { serversService } from './features/servers/servers.service.ts'
import { simulationRoutes } from './features/simulation/simulation.routes.ts'
import { simulationService } from './features/simulation/simulation.service.ts'
import { sshKeysRoutes } from './features/ssh-keys/ssh-keys.routes.ts'
import { sshKeysService } from './features/ssh-keys/ssh-keys.service.ts'
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
import { createParts } from './parts.ts'
import type { Deps } from './runtime/deps.ts'
import { schedule } from './schedule.ts'

/** Builds the whole server, in reading order. Does not listen and starts no job. */
export async function buildApp(
  app: FastifyInstance,
  deps: Deps,
  metrics: Metrics = createMetrics(),
): Promise<void> {
  const parts = createParts(deps)
  const { config, db, clock, events, sessions, limiters, idempotency, log } = parts

  await prepareServer(app, { config, sessions, limiters, idempotency, metrics, log })
  serveHealth(app, db, log, { needsJobs: config.mode !== 'web' })
  serveMetrics(app, metrics, config.metricsToken)
  serveEventStream(app, { events, sessions, log, metrics })
  systemRoutes(app, config, clock)

  const users = usersService(parts)
  authRoutes(app, authService(parts))
  accountRoutes(app, { account: accountService(parts), deletion: deletionService(parts) })
  sshKeysRoutes(app, sshKeysService(parts))
  simulationRoutes(app, simulationService(parts))
  usersRoutes(app, users)
  auditRoutes(app, auditService(parts))

  clustersRoutes(app, clustersService(parts))
  syncRoutes(app, syncService(parts))
  nodesRoutes(app, nodesService(parts))
  templatesRoutes(app, templatesService(parts))
  instancesRoutes(app, instancesService(parts))
  serversRoutes(app, serversService(parts))
  statsRoutes(app, statsService(parts))
  dashboardRoutes(app, dashboardService(parts), removalsService(parts))
  jobsRoutes(app, jobsService(parts))
  const consoles = consoleService(parts)
  const relay = createRelay({ events, log, sessions, metrics, service: consoles })
  await consoleRoutes(app, { service: consoles, relay }, config)

  packagesRoutes(app, packagesService(parts))
  operatingSystemsRoutes(app, operatingSystemsService(parts))
  tokensRoutes(app, tokensService(parts))
  marketplaceRoutes(app, marketplaceService(parts))
  clientRoutes(app, clientService(parts))
  ordersRoutes(app, ordersService(parts))
  const { packageOrders, subscriptions, webhooks } = parts
  billingRoutes(app, { billing: billingService(parts), packageOrders, subscriptions })
  paymentsRoutes(app, {
    payments: paymentsService(parts),
    plans: billingPlansService(parts),
    webhooks,
  })

  schedule(parts, users)
  app.addHook('onClose', async () => parts.hostKeys.close())
}
