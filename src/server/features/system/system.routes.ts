import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { cookieName } from '../../http/browser/session-cookie.ts'
import { implement } from '../../http/implement.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { VERSION } from '../../lib/version.ts'
import { currentChoice, visitorsWays } from '../../payments/ways/visitors-ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import { personalFields } from './personal-data.ts'

export function systemRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'keyring' | 'config' | 'clock'>,
): void {
  const { config, clock } = deps
  let document: ReturnType<typeof openApiDocument> | undefined
  const privacy = personalFields()
  implement(app, api.system, {
    settings: async () => ({
      brandName: config.brandName,
      isDemo: config.demo,
      paymentProvider: (await currentChoice(deps)).offered[0] ?? 'none',
      paymentWays: await visitorsWays(deps),
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
      (document ??= openApiDocument(api, {
        title: `${config.brandName} API`,
        version: VERSION,
        cookie: cookieName(config),
      })),
    privacy: () => privacy,
  })
}
