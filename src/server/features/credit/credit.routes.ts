import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { AutoRenewals } from '../../provisioning/auto-renew/auto-renewals.ts'
import type { createTopUps } from './top-ups.ts'

type Services = { topUps: ReturnType<typeof createTopUps>; autoRenewals: AutoRenewals }

export function creditRoutes(app: FastifyInstance, { topUps, autoRenewals }: Services): void {
  implement(app, api.credit, {
    autoRenew: ({ actor, params, body }) => autoRenewals.set(actor, params.id, body.enabled),
    topUp: ({ actor, body }) => topUps.topUp(actor, body),
  })
}
