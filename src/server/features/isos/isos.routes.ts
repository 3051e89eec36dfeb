import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { isosService } from './isos.service.ts'

export function isosRoutes(app: FastifyInstance, isos: ReturnType<typeof isosService>): void {
  implement(app, api.isos, {
    list: ({ actor }) => isos.list(actor),
    volumes: ({ params }) => isos.volumes(params.id),
    create: ({ actor, body }) => isos.create(actor, body),
    update: ({ actor, params, body }) => isos.update(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await isos.remove(actor, params.id)
      return undefined
    },
  })
}
