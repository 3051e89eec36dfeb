import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { tokensService } from './tokens.service.ts'

export function tokensRoutes(app: FastifyInstance, tokens: ReturnType<typeof tokensService>): void {
  implement(app, api.tokens, {
    list: () => tokens.list(),
    create: ({ actor, body }) => tokens.create(actor, body),
    update: ({ actor, params, body }) => tokens.update(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await tokens.remove(actor, params.id)
      return undefined
    },
    cancelled: () => tokens.cancelled(),
    restore: ({ actor, params }) => tokens.restore(actor, params.id),
    reveal: ({ actor, params }) => tokens.reveal(actor, params.id),
    timeline: ({ actor, params }) => tokens.timeline(actor, params.id),
    nextAddress: ({ query }) => tokens.nextAddress(query.nodeId),
  })
}
