import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { auditService } from './audit.service.ts'

export function auditRoutes(app: FastifyInstance, audit: ReturnType<typeof auditService>): void {
  implement(app, api.audit, { list: ({ query }) => audit.list(query) })
}
