import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { nodesService } from './nodes.service.ts'

export function nodesRoutes(app: FastifyInstance, nodes: ReturnType<typeof nodesService>): void {
  implement(app, api.nodes, {
    list: () => nodes.list(),
    templates: ({ params }) => nodes.templates(params.id),
    sync: ({ actor, params }) => nodes.sync(actor, params.id),
    metrics: ({ params, query }) => nodes.metrics(params.id, query.period),
  })
}
