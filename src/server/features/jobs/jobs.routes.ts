import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { jobsService } from './jobs.service.ts'

export function jobsRoutes(app: FastifyInstance, jobs: ReturnType<typeof jobsService>): void {
  implement(app, api.jobs, {
    list: ({ actor }) => jobs.list(actor),
    retry: ({ actor, params }) => jobs.retry(actor, params.id),
    giveUp: ({ actor, params }) => jobs.giveUp(actor, params.id),
  })
}
