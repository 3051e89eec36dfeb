import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { toMe } from '../../accounts/user-view.ts'
import type { Config } from '../../config/config.ts'
import { implement } from '../../http/implement.ts'
import type { authService } from './auth.service.ts'

export function authRoutes(
  app: FastifyInstance,
  auth: ReturnType<typeof authService>,
  { operatorSecondFactor }: Pick<Config, 'operatorSecondFactor'>,
): void {
  const isRequired = operatorSecondFactor === 'required'
  implement(app, api.auth, {
    me: ({ actor }) => toMe(actor, isRequired),
    register: ({ body, visitor }) => auth.register(body, visitor),
    login: async ({ body, visitor, signIn }) => {
      const { user, session, hasSecondFactor } = await auth.login(body, visitor)
      signIn(session)
      const secondFactor = hasSecondFactor ? { provenAt: null } : undefined
      return toMe({ user, admin: undefined, secondFactor }, isRequired)
    },
    logout: async ({ actor, signOut }) => {
      await auth.logout(actor)
      signOut()
      return undefined
    },
  })
}
