import { account } from './account.ts'
import { audit } from './audit.ts'
import { auth } from './auth.ts'
import { billing } from './billing.ts'
import { client } from './client.ts'
import { clusters } from './clusters.ts'
import { consoles } from './console.ts'
import { dashboard, jobs } from './dashboard.ts'
import { events } from './events.ts'
import { instances } from './instances.ts'
import { marketplace } from './marketplace.ts'
import { nodes } from './nodes.ts'
import { operatingSystems } from './operating-systems.ts'
import { orders } from './orders.ts'
import { packages } from './packages.ts'
import { payments, webhooks } from './payments.ts'
import { simulation } from './simulation.ts'
import { stats } from './stats.ts'
import { sync } from './sync.ts'
import { system } from './system.ts'
import { templates } from './templates.ts'
import { tokens } from './tokens.ts'
import { users } from './users.ts'

/** The API: every call there is, and nothing that is not here. */
export const api = {
  account,
  audit,
  auth,
  billing,
  client,
  clusters,
  consoles,
  dashboard,
  events,
  instances,
  jobs,
  marketplace,
  nodes,
  operatingSystems,
  orders,
  packages,
  payments,
  simulation,
  stats,
  sync,
  system,
  templates,
  tokens,
  users,
  webhooks,
}
export type Api = typeof api
