import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { trafficService } from './traffic.service.ts'

export function trafficRoutes(
  app: FastifyInstance,
  traffic: ReturnType<typeof trafficService>,
): void {
  implement(app, api.traffic, {
    days: ({ actor, params }) => traffic.days(actor, params.id),
    top: ({ query }) => traffic.top(query.days),
  })
}
