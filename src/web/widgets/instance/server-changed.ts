import { api } from '../../api/table.ts'

/** The routes to read again after any change to a server: all that show servers. */
export const SERVER_CHANGED = [
  api.servers.get,
  api.servers.activity,
  api.instances.list,
  api.tokens.list,
  api.tokens.cancelled,
  api.orders.list,
  api.orders.details,
  api.dashboard.clients,
  api.dashboard.attention,
  api.jobs.list,
  api.client.tokens,
  api.client.instances,
  api.billing.overview,
]
