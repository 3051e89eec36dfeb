import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { simulationService } from './simulation.service.ts'

export function simulationRoutes(
  app: FastifyInstance,
  simulation: ReturnType<typeof simulationService>,
): void {
  implement(app, api.simulation, {
    start: async ({ actor, params, signIn }) => {
      const { session, simulatingUser } = await simulation.start(actor, params.userId)
      signIn(session)
      return { simulatingUser }
    },
    end: async ({ actor, signIn }) => {
      signIn(await simulation.end(actor))
      return undefined
    },
  })
}
