import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { recoveryService } from './recovery.service.ts'

export function recoveryRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof recoveryService>,
): void {
  implement(app, api.recovery, {
    makeKit: ({ actor, body }) => service.makeKit(actor, body.password),
    begin: ({ body, visitor }) => service.begin(body, visitor),
    state: ({ actor }) => service.state(actor),
    stop: async ({ actor }) => {
      await service.stop(actor)
      return undefined
    },
  })
}
