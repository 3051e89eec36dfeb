import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { clientService } from './client.service.ts'

export function clientRoutes(app: FastifyInstance, client: ReturnType<typeof clientService>): void {
  implement(app, api.client, {
    tokens: ({ actor }) => client.tokens(actor),
    instances: ({ actor }) => client.instances(actor),
    renew: ({ actor, params, body }) => client.renew(actor, params.id, body),
    takeOver: ({ actor, params, body }) => client.takeOver(actor, params.code, body),
    cancel: async ({ actor, params }) => {
      await client.cancel(actor, params.id)
      return undefined
    },
  })
}
