import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { toManagedUser } from '../../accounts/user-view.ts'
import { implement } from '../../http/implement.ts'
import type { usersService } from './users.service.ts'

export function usersRoutes(app: FastifyInstance, users: ReturnType<typeof usersService>): void {
  implement(app, api.users, {
    clients: () => users.clients(),
    createClient: ({ actor, body }) => users.createClient(actor, body),
    list: async () => (await users.list()).map(toManagedUser),
    create: async ({ actor, body }) => toManagedUser(await users.create(actor, body)),
    update: async ({ actor, params, body }) =>
      toManagedUser(await users.update(actor, params.id, body)),
    servers: ({ params }) => users.servers(params.id),
    remove: async ({ actor, params }) => {
      await users.remove(actor, params.id)
      return undefined
    },
    resetPassword: ({ actor, params }) => users.resetPassword(actor, params.id),
    resetSecondFactor: async ({ actor, params }) => {
      await users.resetSecondFactor(actor, params.id)
      return undefined
    },
    releaseDevice: async ({ actor, params }) =>
      toManagedUser(await users.releaseDevice(actor, params.id)),
  })
}
