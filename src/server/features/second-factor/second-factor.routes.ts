import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { secondFactorService } from './second-factor.service.ts'

export function secondFactorRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof secondFactorService>,
): void {
  implement(app, api.secondFactor, {
    state: ({ actor }) => service.state(actor),
    begin: ({ actor, body }) => service.begin(actor, body.password),
    confirm: ({ actor, body }) => service.confirm(actor, body.code),
    prove: async ({ actor, body }) => {
      await service.prove(actor, body)
      return undefined
    },
    turnOff: async ({ actor, body }) => {
      await service.turnOff(actor, body)
      return undefined
    },
  })
}
