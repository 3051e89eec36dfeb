import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { vouchersService } from './vouchers.service.ts'

export function vouchersRoutes(
  app: FastifyInstance,
  vouchers: ReturnType<typeof vouchersService>,
): void {
  implement(app, api.vouchers, {
    list: ({ query }) => vouchers.list(query.state),
    create: ({ actor, body }) => vouchers.create(actor, body),
    remove: async ({ actor, params }) => {
      await vouchers.remove(actor, params.id)
      return undefined
    },
    redeem: ({ actor, body }) => vouchers.redeem(actor, body.code),
  })
}
