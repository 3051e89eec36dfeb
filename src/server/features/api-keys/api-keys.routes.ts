import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { apiKeysService } from './api-keys.service.ts'

export function apiKeysRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof apiKeysService>,
): void {
  implement(app, api.apiKeys, {
    list: ({ actor }) => service.list(actor),
    create: ({ actor, body }) => service.create(actor, body),
    revoke: async ({ actor, params }) => {
      await service.revoke(actor, params.id)
      return undefined
    },
  })
}
