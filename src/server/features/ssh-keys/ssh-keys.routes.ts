import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { sshKeysService } from './ssh-keys.service.ts'

export function sshKeysRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof sshKeysService>,
): void {
  implement(app, api.sshKeys, {
    list: ({ actor }) => service.list(actor),
    add: ({ actor, body }) => service.add(actor, body),
    remove: async ({ actor, params }) => {
      await service.remove(actor, params.id)
      return undefined
    },
  })
}
