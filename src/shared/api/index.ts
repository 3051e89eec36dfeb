import { client } from './overview/client.ts'
import { dashboard, jobs } from './overview/dashboard.ts'
import { events } from './overview/events.ts'
import { servers } from './overview/servers.ts'
import { stats } from './overview/stats.ts'
import { system } from './overview/system.ts'
import { account } from './people/account.ts'
import { audit } from './people/audit.ts'
import { auth } from './people/auth.ts'
import { simulation } from './people/simulation.ts'
import { sshKeys } from './people/ssh-keys.ts'
import { users } from './people/users.ts'
import { clusters } from './servers/clusters.ts'
import { consoles } from './servers/console.ts'
import { instances } from './servers/instances.ts'
import { nodes } from './servers/nodes.ts'
import { operatingSystems } from './servers/operating-systems.ts'
import { sync } from './servers/sync.ts'
import { templates } from './servers/templates.ts'
import { billing } from './shop/billing.ts'
import { marketplace } from './shop/marketplace.ts'
import { orders } from './shop/orders.ts'
import { packages } from './shop/packages.ts'
import { payments, webhooks } from './shop/payments.ts'
import { tokens } from './shop/tokens.ts'

/** The API: every call the server answers. */
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
  servers,
  simulation,
  sshKeys,
  stats,
  sync,
  system,
  templates,
  tokens,
  users,
  webhooks,
}
/** @public Named by virtual-route-table.d.ts, which the browser reads the table by. */
export type Api = typeof api
