import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { accountService } from './account.service.ts'
import type { deletionService } from './deletion.service.ts'

type Services = {
  account: ReturnType<typeof accountService>
  deletion: ReturnType<typeof deletionService>
}

export function accountRoutes(app: FastifyInstance, { account, deletion }: Services): void {
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
    export: ({ actor }) => deletion.export(actor),
    deletion: ({ actor }) => deletion.preview(actor),
    remove: async ({ actor, body, signOut }) => {
      await deletion.remove(actor, body)
      signOut()
      return undefined
    },
  })
}
