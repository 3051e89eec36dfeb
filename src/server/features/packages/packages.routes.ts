import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import type { packages as table } from '../../db/schema/sales.ts'
import { implement } from '../../http/implement.ts'
import type { packagesService } from './packages.service.ts'

export function packagesRoutes(
  app: FastifyInstance,
  packages: ReturnType<typeof packagesService>,
): void {
  implement(app, api.packages, {
    public: async () => (await packages.public()).map(toPackage),
    list: async () => (await packages.list()).map(toPackage),
    create: async ({ actor, body }) => toPackage(await packages.create(actor, body)),
    update: async ({ actor, params, body }) =>
      toPackage(await packages.update(actor, params.id, body)),
    remove: async ({ actor, params }) => {
      await packages.remove(actor, params.id)
      return undefined
    },
  })
}

const toPackage = <Row extends typeof table.$inferSelect>({ priceCents, ...row }: Row) => ({
  ...row,
  price: priceCents / 100,
})
