import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { marketplaceService } from './marketplace.service.ts'

export function marketplaceRoutes(
  app: FastifyInstance,
  marketplace: ReturnType<typeof marketplaceService>,
): void {
  implement(app, api.marketplace, {
    tokens: ({ actor }) => marketplace.list(actor),
    userData: ({ query }) => marketplace.userData(query.tokenId),
    purchase: ({ actor, params, body, visitor }) =>
      marketplace.purchase(actor, params.tokenId, body, visitor.address),
    trial: ({ actor, params, body }) => marketplace.trial(actor, params.tokenId, body),
  })
}
