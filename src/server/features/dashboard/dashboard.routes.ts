import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { dashboardService } from './dashboard.service.ts'
import type { removalsService } from './removals.service.ts'

export function dashboardRoutes(
  app: FastifyInstance,
  dashboard: ReturnType<typeof dashboardService>,
  removals: ReturnType<typeof removalsService>,
): void {
  implement(app, api.dashboard, {
    clients: () => dashboard.clients(),
    attention: () => dashboard.attention(),
    removals: () => removals.list(),
    confirmRemovals: async ({ actor, body }) => {
      await removals.confirm(actor, body.tokenIds)
      return undefined
    },
    confirmTime: async ({ actor }) => {
      await removals.confirmTime(actor)
      return undefined
    },
  })
}
