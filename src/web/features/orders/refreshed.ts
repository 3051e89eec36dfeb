import { api } from '../../api/table.ts'

/** Every route that an order changes. */
export const REFRESHED = [
  api.orders.list,
  api.orders.details,
  api.dashboard.attention,
  api.tokens.list,
  api.instances.list,
  api.jobs.list,
  api.payments.status,
]
