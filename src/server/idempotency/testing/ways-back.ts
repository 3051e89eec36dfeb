import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { aBackup, allowBackups } from '../../provisioning/testing/backups.ts'
import { anIso, anOffer } from '../../provisioning/testing/isos.ts'
import type { Shop } from '../../provisioning/testing/shop.ts'
import { aSnapshot } from '../../provisioning/testing/snapshots.ts'
import type { SimApp, TestApp } from '../../testing/test-app.ts'

type Caller = ReturnType<TestApp['as']>
export type Case = { route: Route; arrange: () => Promise<[Caller, object]> }
export type Running = [Caller, { params: { id: number }; body: object }]

type House = {
  t: Pick<SimApp, 'db'>
  shop: Shop
  named: (name: string) => string
  onServer: (body: object) => () => Promise<Running>
}

/** Calls that keep what is on a server, bring it back, or start it from something else. */
export function waysBack({ t, shop, named, onServer }: House): Case[] {
  const server = async () => (await onServer({})())[1]
  return [
    {
      route: api.backups.make,
      arrange: async () => {
        const { params } = await server()
        await allowBackups(t.db, shop, params.id)
        return [shop.admin, { params, body: { name: named('Backup') } }]
      },
    },
    {
      route: api.backups.restore,
      arrange: async () => [shop.admin, await aBackup(t.db, shop, await server())],
    },
    {
      route: api.snapshots.take,
      arrange: async () => {
        const { params } = await server()
        return [shop.admin, { params, body: { name: named('Snapshot') } }]
      },
    },
    {
      route: api.snapshots.rollBack,
      arrange: async () => [shop.admin, await aSnapshot(shop, await server())],
    },
    {
      route: api.cds.insert,
      arrange: async () => [shop.admin, await anIso(shop, (await server()).params)],
    },
    {
      route: api.cds.rescue,
      arrange: async () => {
        const { params } = await anIso(shop, (await server()).params)
        return [shop.admin, { params }]
      },
    },
    {
      route: api.isos.create,
      arrange: async () => [shop.admin, { body: await anOffer(shop) }],
    },
  ]
}
