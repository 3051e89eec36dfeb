import { api } from '../../api/table.ts'

/** Everything an order moves. */
export const REFRESHED = [
  api.orders.list,
  api.orders.details,
  api.dashboard.attention,
  api.tokens.list,
  api.instances.list,
  api.jobs.list,
  api.payments.status,
]
