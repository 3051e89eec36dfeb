import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { passkeysService } from './passkeys.service.ts'

export function passkeysRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof passkeysService>,
): void {
  implement(app, api.passkeys, {
    list: ({ actor }) => service.list(actor),
    begin: ({ actor, body }) => service.begin(actor, body),
    add: ({ actor, body }) => service.add(actor, body),
    challenge: ({ actor }) => service.challenge(actor),
    remove: async ({ actor, params }) => {
      await service.remove(actor, params.id)
      return undefined
    },
  })
}
