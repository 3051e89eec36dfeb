import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import type { Config } from '../../config/config.ts'
import { paymentWays } from '../../config/payment-ways.ts'
import { implement } from '../../http/implement.ts'
import { openApiDocument } from '../../http/openapi.ts'
import type { Clock } from '../../lib/clock.ts'
import { VERSION } from '../../lib/version.ts'
import { personalFields } from './personal-data.ts'

export function systemRoutes(app: FastifyInstance, config: Config, clock: Clock): void {
  let document: ReturnType<typeof openApiDocument> | undefined
  const privacy = personalFields()
  implement(app, api.system, {
    settings: () => ({
      brandName: config.brandName,
      isDemo: config.demo,
      paymentProvider: config.paymentProvider,
      paymentWays: paymentWays(config),
      graceDays: config.graceDays,
      operator: {
        name: config.operator.name ?? null,
        place: config.operator.place ?? null,
        contact: config.operator.contact ?? null,
      },
      serverTime: clock.now().toISOString(),
    }),
    // Made when first asked for: few ask, and it is large.
    openapi: () =>
      (document ??= openApiDocument(api, { title: `${config.brandName} API`, version: VERSION })),
    privacy: () => privacy,
  })
}
