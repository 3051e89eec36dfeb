import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { operatingSystemsService } from './operating-systems.service.ts'

export function operatingSystemsRoutes(
  app: FastifyInstance,
  systems: ReturnType<typeof operatingSystemsService>,
): void {
  implement(app, api.operatingSystems, {
    list: ({ actor }) => systems.list(actor),
    create: ({ actor, body }) => systems.create(actor, body),
    update: ({ actor, params, body }) => systems.update(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await systems.remove(actor, params.id)
      return undefined
    },
  })
}
