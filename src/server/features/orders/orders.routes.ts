import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { Deps } from '../../runtime/deps.ts'
import { deliveryFigures } from './delivery-figures.ts'
import type { ordersService } from './orders.service.ts'

export function ordersRoutes(
  app: FastifyInstance,
  orders: ReturnType<typeof ordersService>,
  deps: Pick<Deps, 'db' | 'clock'>,
): void {
  implement(app, api.orders, {
    list: () => orders.list(),
    details: ({ actor, params }) => orders.details(actor, params.id),
    candidates: ({ params, query }) => orders.candidates(params.id, query.nodeId),
    update: ({ actor, params, body }) => orders.update(actor, params.id, body),
  })
  implement(app, api.delivery, { figures: () => deliveryFigures(deps) })
}
