import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { orders, packages } from '../../src/server/db/schema/sales.ts'
import { backups } from '../../src/server/db/schema/snapshots.ts'
import { openBackWorld } from './back-world.ts'
import { openServerWorld } from './server-world.ts'

/** A server with a backup that is restored onto it. */
export async function openRestoreWorld(given: Record<string, string>, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  const { sold } = await world.look()
  await world.inDatabase(async ({ db }) => {
    const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
    const plan = { id: 'kept', name: 'Kept', ...size, priceCents: 500, osOptions: [] }
    await db.insert(packages).values({ ...plan, backupLimit: 2 })
    await db.update(orders).set({ planId: 'kept' }).where(eq(orders.tokenId, sold.id))
    const [cluster] = await db.select().from(clusters)
    const settings = { ...cluster?.settings, backupStorage: 'local' }
    await db.update(clusters).set({ settings })
  })
  const rows = () => world.inDatabase(({ db }) => db.select().from(backups))
  return await openBackWorld(world, {
    list: 'backups',
    act: 'restore',
    body: { as: 'same' },
    kept: async () => (await rows())[0],
    expectKept: async (_, where) => {
      expect(await rows(), where).toMatchObject([{ state: 'ready', turn: null }])
    },
  })
}
