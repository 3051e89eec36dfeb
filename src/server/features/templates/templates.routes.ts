import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { templatesService } from './templates.service.ts'

export function templatesRoutes(
  app: FastifyInstance,
  templates: ReturnType<typeof templatesService>,
): void {
  implement(app, api.templates, {
    list: () => templates.list(),
    config: ({ params }) => templates.config(params.id),
    setConfig: ({ actor, params, body }) => templates.setConfig(actor, params.id, body),
    clone: ({ actor, params, body }) => templates.clone(actor, params.id, body.name),
  })
}
