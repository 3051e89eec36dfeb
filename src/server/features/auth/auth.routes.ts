import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { toMe } from '../../accounts/user-view.ts'
import { implement } from '../../http/implement.ts'
import type { authService } from './auth.service.ts'

export function authRoutes(app: FastifyInstance, auth: ReturnType<typeof authService>): void {
  implement(app, api.auth, {
    me: ({ actor }) => toMe(actor),
    register: ({ body, visitor }) => auth.register(body, visitor),
    login: async ({ body, visitor, signIn }) => {
      const { user, session } = await auth.login(body, visitor)
      signIn(session)
      return toMe({ user, admin: undefined })
    },
    logout: async ({ actor, signOut }) => {
      await auth.logout(actor)
      signOut()
      return undefined
    },
  })
}
