import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { instancesService } from './instances.service.ts'

export function instancesRoutes(
  app: FastifyInstance,
  instances: ReturnType<typeof instancesService>,
): void {
  implement(app, api.instances, {
    list: ({ query }) => instances.list(query.nodeId),
    create: ({ actor, body }) => instances.create(actor, body),
    status: ({ actor, params }) => instances.status(actor, params.id),
    start: ({ actor, params }) => instances.power(actor, params.id, 'start'),
    stop: ({ actor, params }) => instances.power(actor, params.id, 'stop'),
    shutdown: ({ actor, params }) => instances.power(actor, params.id, 'shutdown'),
    restart: ({ actor, params }) => instances.power(actor, params.id, 'restart'),
    config: ({ actor, params }) => instances.config(actor, params.id),
    setConfig: ({ actor, params, body }) => instances.setConfig(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await instances.remove(actor, params.id)
      return undefined
    },
    preview: ({ actor, params }) => instances.preview(actor, params.id),
    end: ({ actor, params, body }) => instances.end(actor, params.id, body),
    suspend: ({ actor, params, body }) => instances.suspend(actor, params.id, body.reason),
    resume: ({ actor, params }) => instances.resume(actor, params.id),
    reveal: ({ actor, params }) => instances.reveal(actor, params.id),
    metrics: ({ actor, params, query }) => instances.metrics(actor, params.id, query.period),
  })
}
