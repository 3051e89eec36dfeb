import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { serversService } from './servers.service.ts'

export function serversRoutes(
  app: FastifyInstance,
  servers: ReturnType<typeof serversService>,
): void {
  implement(app, api.servers, {
    get: ({ actor, params }) => servers.get(actor, params.id),
    change: ({ actor, params, body }) => servers.change(actor, params.id, body),
    activity: ({ actor, params, query }) => servers.activity(actor, params.id, query),
    hostKeys: async ({ actor, params }) => (await servers.get(actor, params.id)).hostKeys,
    reinstallPreview: ({ actor, params }) => servers.reinstallPreview(actor, params.id),
    reinstall: ({ actor, params, body }) => servers.reinstall(actor, params.id, body),
    password: ({ actor, params }) => servers.newPassword(actor, params.id),
    offer: ({ actor, params }) => servers.offer(actor, params.id),
    withdrawOffer: async ({ actor, params }) => {
      await servers.withdrawOffer(actor, params.id)
      return undefined
    },
    proxmoxConfig: ({ actor, params }) => servers.proxmoxConfig(actor, params.id),
  })
}
