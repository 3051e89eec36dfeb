import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { dnsServerService } from './dns-server.service.ts'
import type { reverseNamesService } from './reverse-names.service.ts'

type Services = {
  names: ReturnType<typeof reverseNamesService>
  server: ReturnType<typeof dnsServerService>
}

export function reverseDnsRoutes(app: FastifyInstance, { names, server }: Services): void {
  implement(app, api.reverseDns, {
    set: ({ actor, params, body }) => names.set(actor, params.id, body),
    get: () => server.get(),
    connect: ({ actor, body }) => server.connect(actor, body),
    disconnect: async ({ actor }) => {
      await server.disconnect(actor)
      return undefined
    },
    test: ({ body }) => server.test(body),
  })
}
