import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { accountService } from './account.service.ts'

export function accountRoutes(
  app: FastifyInstance,
  account: ReturnType<typeof accountService>,
): void {
  implement(app, api.account, {
    changePassword: async ({ actor, body, signIn }) => {
      signIn(await account.changePassword(actor, body))
      return undefined
    },
    sessions: ({ actor }) => account.sessions(actor),
    endSession: async ({ actor, params }) => {
      await account.endSession(actor, params.id)
      return undefined
    },
    endSessions: async ({ actor, signOut }) => {
      await account.endSessions(actor)
      signOut()
      return undefined
    },
    activity: ({ actor }) => account.activity(actor),
  })
}
