import {
  auditCheckpoints,
  auditLog,
  failedLogins,
  passkeyChallenges,
  passkeys,
  sessions,
  settings,
  usernames,
  users,
} from './schema/accounts.ts'
import { addresses, pools, reverseNames } from './schema/addresses.ts'
import { firewalls } from './schema/firewalls.ts'
import { handoverCodes, handovers } from './schema/handovers.ts'
import { idempotencyKeys } from './schema/idempotency.ts'
import {
  clusters,
  isos,
  nodes,
  operatingSystems,
  templates,
  usedVmIds,
} from './schema/infrastructure.ts'
import { keySpendings, ledger, receipts, vouchers, webhookEvents } from './schema/ledger.ts'
import { disputes, orders, packages, payments, subscriptions } from './schema/sales.ts'
import { serverEnds, serviceTime } from './schema/service-time.ts'
import { backups, snapshots } from './schema/snapshots.ts'
import { apiKeys, hostKeyLooks, hostKeys, serverKeys, sshKeys } from './schema/ssh-keys.ts'
import { billingPlans, instances, ownIsos, serverCds, tokens } from './schema/stock.ts'
import { serverRates, serverTraffic, trafficDays, trafficGaps } from './schema/traffic.ts'
import {
  consoleTickets,
  events,
  heartbeats,
  jobSteps,
  jobs,
  leases,
  limits,
  webhookDeliveries,
  webhookProgress,
  webhooks,
} from './schema/work.ts'

/** Every table, by the name the code uses. */
export const schema = {
  addresses,
  auditCheckpoints,
  auditLog,
  billingPlans,
  clusters,
  consoleTickets,
  disputes,
  events,
  failedLogins,
  firewalls,
  handoverCodes,
  handovers,
  heartbeats,
  hostKeyLooks,
  hostKeys,
  idempotencyKeys,
  instances,
  isos,
  jobSteps,
  jobs,
  leases,
  ledger,
  limits,
  nodes,
  operatingSystems,
  orders,
  ownIsos,
  packages,
  passkeyChallenges,
  passkeys,
  payments,
  pools,
  receipts,
  reverseNames,
  serverCds,
  serverEnds,
  serverKeys,
  serverRates,
  serverTraffic,
  serviceTime,
  sessions,
  settings,
  backups,
  snapshots,
  sshKeys,
  apiKeys,
  keySpendings,
  subscriptions,
  templates,
  tokens,
  trafficDays,
  trafficGaps,
  usedVmIds,
  usernames,
  users,
  vouchers,
  webhookDeliveries,
  webhookEvents,
  webhookProgress,
  webhooks,
}
