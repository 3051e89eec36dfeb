import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { statsService } from './stats.service.ts'

export function statsRoutes(app: FastifyInstance, stats: ReturnType<typeof statsService>): void {
  implement(app, api.stats, { get: ({ actor }) => stats.get(actor) })
}
