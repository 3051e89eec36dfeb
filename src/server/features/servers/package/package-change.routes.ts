import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../../http/implement.ts'
import type { packageChangeService } from './package-change.service.ts'

export function packageChangeRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof packageChangeService>,
): void {
  implement(app, api.packageChange, {
    choices: ({ actor, params }) => service.choices(actor, params.id),
    preview: ({ actor, params, query }) => service.preview(actor, params.id, query.packageId),
    change: ({ actor, params, body }) => service.change(actor, params.id, body),
    keep: async ({ actor, params }) => {
      await service.keep(actor, params.id)
      return undefined
    },
  })
}
