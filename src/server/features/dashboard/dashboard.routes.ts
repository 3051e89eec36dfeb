import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { dashboardService } from './dashboard.service.ts'

export function dashboardRoutes(
  app: FastifyInstance,
  dashboard: ReturnType<typeof dashboardService>,
): void {
  implement(app, api.dashboard, {
    clients: () => dashboard.clients(),
    attention: () => dashboard.attention(),
  })
}
