import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { clusters } from '../../../src/server/db/schema/infrastructure.ts'
import { orders, packages } from '../../../src/server/db/schema/sales.ts'
import { backups } from '../../../src/server/db/schema/snapshots.ts'
import { openBackWorld } from './back-world.ts'
import { openServerWorld } from './server-world.ts'

type Env = Record<string, string>

/** A server that may have backups, and what is known of them. */
export async function openBackupWorld(given: Env, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  const { sold } = await world.look()
  const grantBackups = (tokenId: number) =>
    world.inDatabase(({ db }) =>
      db.update(orders).set({ planId: 'kept' }).where(eq(orders.tokenId, tokenId)),
    )
  await world.inDatabase(async ({ db }) => {
    const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
    const plan = { id: 'kept', name: 'Kept', ...size, priceCents: 500, osOptions: [] }
    await db.insert(packages).values({ ...plan, backupLimit: 2 })
    const [cluster] = await db.select().from(clusters)
    const settings = { ...cluster?.settings, backupStorage: 'local' }
    await db.update(clusters).set({ settings })
  })
  await grantBackups(sold.id)
  return {
    ...world,
    grantBackups,
    rows: () => world.inDatabase(({ db }) => db.select().from(backups)),
    archives: () => structuredClone([...world.sim.state.volumes.values()].filter(isBackup)),
  }
}

const isBackup = ({ content }: { content: string }) => content === 'backup'

type BackupWorld = Awaited<ReturnType<typeof openBackupWorld>>

/** The one backup, with the archive that it had from the start. */
function keptBackup({ rows, archives }: BackupWorld) {
  let first: ReturnType<BackupWorld['archives']> | undefined
  return {
    list: 'backups' as const,
    act: 'restore' as const,
    kept: async () => {
      first = archives()
      return (await rows())[0]
    },
    expectKept: async (_: unknown, where: string) => {
      expect(await rows(), where).toMatchObject([{ state: 'ready', turn: null }])
      expect(archives(), where).toEqual(first)
    },
  }
}

/** A server with a backup that is restored onto it. */
export async function openRestoreWorld(given: Env, dataDir: string) {
  const world = await openBackupWorld(given, dataDir)
  return await openBackWorld(world, { ...keptBackup(world), body: { as: 'same' } })
}

/** Two servers of a client; the backup of the first is restored onto the second. */
export async function openRestoreIntoWorld(given: Env, dataDir: string) {
  const world = await openBackupWorld(given, dataDir)
  const into = await world.buyAnother('198.18.0.200')
  const { row } = await world.look(into)
  const backup = keptBackup(world)
  return await openBackWorld(world, {
    ...backup,
    body: { as: 'new', into: row.id },
    into,
    async expectKept(found, where) {
      await backup.expectKept(found, where)
      const source = await world.look()
      expect([source.row.status, source.vm.config.lock], where).toEqual(['running', undefined])
      expect(source.row.ownerId, where).toBe(found.row.ownerId)
      expect(source.sold.ipAddress, where).not.toBe(found.sold.ipAddress)
      expect(source.vm.config.smbios1, where).not.toBe(found.vm.config.smbios1)
    },
  })
}
