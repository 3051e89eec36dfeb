import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { createCouponPreview } from './coupon-preview.ts'
import type { couponsService } from './coupons.service.ts'

type Services = {
  coupons: ReturnType<typeof couponsService>
  preview: ReturnType<typeof createCouponPreview>
}

export function couponsRoutes(app: FastifyInstance, { coupons, preview }: Services): void {
  implement(app, api.coupons, {
    list: () => coupons.list(),
    create: ({ actor, body }) => coupons.create(actor, body),
    update: ({ actor, params, body }) => coupons.setOn(actor, params.id, body.isOn),
    remove: async ({ actor, params }) => {
      await coupons.remove(actor, params.id)
      return undefined
    },
    preview: ({ actor, body }) => preview(actor, body),
  })
}
