import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { poolsService } from './pools.service.ts'

export function poolsRoutes(app: FastifyInstance, pools: ReturnType<typeof poolsService>): void {
  implement(app, api.pools, {
    list: () => pools.list(),
    create: ({ actor, body }) => pools.create(actor, body),
    update: ({ actor, params, body }) => pools.update(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await pools.remove(actor, params.id)
      return undefined
    },
    addresses: ({ params, query }) => pools.addresses(params.id, query),
  })
}
