import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './features/account/account.routes.ts'
import { accountService } from './features/account/account.service.ts'
import { deletionService } from './features/account/deletion.service.ts'
import { apiKeysRoutes } from './features/api-keys/api-keys.routes.ts'
import { apiKeysService } from './features/api-keys/api-keys.service.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { auditService } from './features/audit/audit.service.ts'
import { authRoutes } from './features/auth/auth.routes.ts'
import { authService } from './features/auth/auth.service.ts'
import { backupsRoutes } from './features/backups/backups.routes.ts'
import { backupsService } from './features/backups/backups.service.ts'
import { billingRoutes } from './features/billing/billing.routes.ts'
import { billingService } from './features/billing/billing.service.ts'
import { booksRoutes } from './features/books/books.routes.ts'
import { booksService } from './features/books/books.service.ts'
import { clientRoutes } from './features/client/client.routes.ts'
import { clientService } from './features/client/client.service.ts'
import { clustersRoutes } from './features/clusters/clusters.routes.ts'
import { clustersService } from './features/clusters/clusters.service.ts'
import { consoleRoutes } from './features/console/console.routes.ts'
import { consoleService } from './features/console/console.service.ts'
import { createRelay } from './features/console/relay.ts'
import { createCouponPreview } from './features/coupons/coupon-preview.ts'
import { couponsRoutes } from './features/coupons/coupons.routes.ts'
import { couponsService } from './features/coupons/coupons.service.ts'
import { creditRoutes } from './features/credit/credit.routes.ts'
import { createTopUps } from './features/credit/top-ups.ts'
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts'
import { dashboardService } from './features/dashboard/dashboard.service.ts'
import { removalsService } from './features/dashboard/removals.service.ts'
import { instancesRoutes } from './features/instances/instances.routes.ts'
import { instancesService } from './features/instances/instances.service.ts'
import { isosRoutes } from './features/isos/isos.routes.ts'
import { isosService } from './features/isos/isos.service.ts'
import { jobsRoutes } from './features/jobs/jobs.routes.ts'
import { jobsService } from './features/jobs/jobs.service.ts'
import { marketplaceRoutes } from './features/marketplace/marketplace.routes.ts'
import { marketplaceService } from './features/marketplace/marketplace.service.ts'
import { networkRoutes } from './features/network/network.routes.ts'
import { networkService } from './features/network/network.service.ts'
import { nodesRoutes } from './features/nodes/nodes.routes.ts'
import { nodesService } from './features/nodes/nodes.service.ts'
import { operatingSystemsRoutes } from './features/operating-systems/operating-systems.routes.ts'
import { operatingSystemsService } from './features/operating-systems/operating-systems.service.ts'
import { ordersRoutes } from './features/orders/orders.routes.ts'
import { ordersService } from './features/orders/orders.service.ts'
import { packagesRoutes } from './features/packages/packages.routes.ts'
import { packagesService } from './features/packages/packages.service.ts'
import { passkeysRoutes } from './features/passkeys/passkeys.routes.ts'
import { passkeysService } from './features/passkeys/passkeys.service.ts'
import { paymentLinksRoutes } from './features/payment-links/payment-links.routes.ts'
import { paymentLinksService } from './features/payment-links/payment-links.service.ts'
import { billingPlansService } from './features/payments/billing-plans.service.ts'
import { discountsService } from './features/payments/discounts.service.ts'
import { paymentsRoutes } from './features/payments/payments.routes.ts'
import { paymentsService } from './features/payments/payments.service.ts'
import { providerKeysService } from './features/payments/provider-keys.service.ts'
import { waysService } from './features/payments/ways.service.ts'
import { poolsRoutes } from './features/pools/pools.routes.ts'
import { poolsService } from './features/pools/pools.service.ts'
import { recoveryRoutes } from './features/recovery/recovery.routes.ts'
import { recoveryService } from './features/recovery/recovery.service.ts'
import { dnsServerService } from './features/reverse-dns/dns-server.service.ts'
import { reverseDnsRoutes } from './features/reverse-dns/reverse-dns.routes.ts'
import { reverseNamesService } from './features/reverse-dns/reverse-names.service.ts'
import { secondFactorRoutes } from './features/second-factor/second-factor.routes.ts'
import { secondFactorService } from './features/second-factor/second-factor.service.ts'
import { packageChangeRoutes } from './features/servers/package/package-change.routes.ts'
import { packageChangeService } from './features/servers/package/package-change.service.ts'
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
import { toolsRoutes } from './features/tools/tools.routes.ts'
import { trafficRoutes } from './features/traffic/traffic.routes.ts'
import { trafficService } from './features/traffic/traffic.service.ts'
import { usersRoutes } from './features/users/users.routes.ts'
import { usersService } from './features/users/users.service.ts'
import { vouchersRoutes } from './features/vouchers/vouchers.routes.ts'
import { vouchersService } from './features/vouchers/vouchers.service.ts'
import { webhooksRoutes } from './features/webhooks/webhooks.routes.ts'
import { webhooksService } from './features/webhooks/webhooks.service.ts'
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
  const { config, db, clock, events, sessions, apiKeys, limiters, idempotency, log } = parts

  await prepareServer(app, {
    config,
    sessions,
    apiKeys,
    limiters,
    idempotency,
    metrics,
    clock,
    log,
  })
  serveHealth(app, db, log, { needsJobs: config.mode !== 'web' })
  serveMetrics(app, metrics, config.metricsToken)
  serveEventStream(app, { events, log, metrics })
  systemRoutes(app, parts)
  toolsRoutes(app, parts)

  const users = usersService(parts)
  authRoutes(app, authService(parts), config)
  secondFactorRoutes(app, secondFactorService(parts))
  passkeysRoutes(app, passkeysService(parts))
  recoveryRoutes(app, recoveryService(parts))
  accountRoutes(app, { account: accountService(parts), deletion: deletionService(parts) })
  apiKeysRoutes(app, apiKeysService(parts))
  sshKeysRoutes(app, sshKeysService(parts))
  simulationRoutes(app, simulationService(parts))
  usersRoutes(app, users)
  auditRoutes(app, auditService(parts))

  clustersRoutes(app, clustersService(parts))
  poolsRoutes(app, poolsService(parts))
  syncRoutes(app, syncService(parts))
  nodesRoutes(app, nodesService(parts))
  templatesRoutes(app, templatesService(parts))
  isosRoutes(app, isosService(parts))
  backupsRoutes(app, backupsService(parts))
  instancesRoutes(app, instancesService(parts))
  serversRoutes(app, serversService(parts))
  packageChangeRoutes(app, packageChangeService(parts))
  networkRoutes(app, networkService(parts))
  trafficRoutes(app, trafficService(parts))
  reverseDnsRoutes(app, { names: reverseNamesService(parts), server: dnsServerService(parts) })
  statsRoutes(app, statsService(parts))
  dashboardRoutes(app, dashboardService(parts), removalsService(parts))
  jobsRoutes(app, jobsService(parts))
  const consoles = consoleService(parts)
  const relay = createRelay({ events, log, metrics, service: consoles })
  await consoleRoutes(app, { service: consoles, relay }, config)

  packagesRoutes(app, packagesService(parts))
  operatingSystemsRoutes(app, operatingSystemsService(parts))
  tokensRoutes(app, tokensService(parts))
  marketplaceRoutes(app, marketplaceService(parts))
  clientRoutes(app, clientService(parts))
  ordersRoutes(app, ordersService(parts), parts)
  const { packageOrders, subscriptions, webhooks } = parts
  billingRoutes(app, { billing: billingService(parts), packageOrders, subscriptions })
  paymentsRoutes(app, {
    payments: paymentsService(parts),
    discounts: discountsService(parts),
    plans: billingPlansService(parts),
    arrangement: waysService(parts),
    keys: providerKeysService(parts),
    ways: parts.ways,
    db: parts.db,
    webhooks,
  })

  booksRoutes(app, booksService(parts))
  vouchersRoutes(app, vouchersService(parts))
  couponsRoutes(app, { coupons: couponsService(parts), preview: createCouponPreview(parts) })
  webhooksRoutes(app, webhooksService(parts))
  paymentLinksRoutes(app, paymentLinksService(parts))
  creditRoutes(app, { topUps: createTopUps(parts), autoRenewals: parts.autoRenewals })

  schedule(parts, users)
  app.addHook('onClose', async () => parts.hostKeys.close())
}
