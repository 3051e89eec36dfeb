import {
  auditCheckpoints,
  auditLog,
  failedLogins,
  sessions,
  settings,
  usernames,
  users,
} from './schema/accounts.ts'
import { handoverCodes, handovers } from './schema/handovers.ts'
import { idempotencyKeys } from './schema/idempotency.ts'
import { clusters, nodes, operatingSystems, templates } from './schema/infrastructure.ts'
import { ledger, webhookEvents } from './schema/ledger.ts'
import { limits } from './schema/limits.ts'
import { disputes, orders, packages, payments, subscriptions } from './schema/sales.ts'
import { serverEnds, serviceTime } from './schema/service-time.ts'
import { hostKeyLooks, hostKeys, serverKeys, sshKeys } from './schema/ssh-keys.ts'
import { billingPlans, instances, tokens } from './schema/stock.ts'
import { consoleTickets, events, heartbeats, jobSteps, jobs, leases } from './schema/work.ts'

/** Every table, by the name the code uses. */
export const schema = {
  auditCheckpoints,
  auditLog,
  billingPlans,
  clusters,
  consoleTickets,
  disputes,
  events,
  failedLogins,
  handoverCodes,
  handovers,
  heartbeats,
  hostKeyLooks,
  hostKeys,
  idempotencyKeys,
  instances,
  jobSteps,
  jobs,
  leases,
  ledger,
  limits,
  nodes,
  operatingSystems,
  orders,
  packages,
  payments,
  serverEnds,
  serverKeys,
  serviceTime,
  sessions,
  settings,
  sshKeys,
  subscriptions,
  templates,
  tokens,
  usernames,
  users,
  webhookEvents,
}
