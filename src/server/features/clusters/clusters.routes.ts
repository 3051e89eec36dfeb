import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { clustersService } from './clusters.service.ts'

export function clustersRoutes(
  app: FastifyInstance,
  clusters: ReturnType<typeof clustersService>,
): void {
  implement(app, api.clusters, {
    list: () => clusters.list(),
    create: ({ actor, body }) => clusters.create(actor, body),
    test: ({ body }) => clusters.test(body),
    update: ({ actor, params, body }) => clusters.update(actor, params.id, body),
    diagnosis: ({ params }) => clusters.diagnosis(params.id),
    backupStorages: ({ params }) => clusters.backupStorages(params.id),
    state: () => clusters.state(),
    remove: async ({ actor, params }) => {
      await clusters.remove(actor, params.id)
      return undefined
    },
  })
}
