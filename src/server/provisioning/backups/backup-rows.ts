import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { scheduleRefusal } from '#shared/rules/instance/backup-schedule.ts'
import {
  BACKUP_LIMIT,
  type BackupOrigin,
  backupRefusal,
  isHeldBackup,
  takenPlaces,
} from '#shared/rules/instance/backups.ts'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'
import { jobs } from '../../db/schema/work.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import type { Random } from '../../lib/random.ts'
import { saysPackage } from '../../orders/package-of-server.ts'
import { loginMark, type SystemOfToken } from '../snapshots/snapshot-rows.ts'

export type BackupRow = typeof backups.$inferSelect

const backupsOf = (db: Db, instanceId: number): Promise<BackupRow[]> =>
  db.select().from(backups).where(eq(backups.instanceId, instanceId)).orderBy(asc(backups.id))

export async function backupById(db: Db, id: number): Promise<BackupRow | undefined> {
  const [row] = await db.select().from(backups).where(eq(backups.id, id))
  return row
}

export async function requireBackup(db: Db, id: number): Promise<BackupRow> {
  const row = await backupById(db, id)
  if (!row) throw new AppError('NOT_FOUND', 'The backup no longer exists.')
  return row
}

/** What its package grants; none without one. */
async function backupLimitOf(db: Db, tokenId: number): Promise<number> {
  const [plan] = await db
    .select({ limit: packages.backupLimit })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(and(eq(orders.tokenId, tokenId), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
  return plan?.limit ?? BACKUP_LIMIT
}

/** Where the operator wants backups of this cluster; null where nothing was chosen. */
async function backupStorageOf(db: Db, clusterId: number): Promise<string | null> {
  const [row] = await db.select().from(clusters).where(eq(clusters.id, clusterId))
  return (row && settingsOf(row).backupStorage) || null
}

/** How many the schedule keeps; 0 without one. */
async function keptOf(db: Db, instanceId: number): Promise<number> {
  const isIt = eq(backupSchedules.instanceId, instanceId)
  const [row] = await db.select({ keep: backupSchedules.keep }).from(backupSchedules).where(isIt)
  return row?.keep ?? 0
}

type Reserved = {
  instance: { id: number; clusterId: number; vmId: number }
  token: SystemOfToken
  origin: BackupOrigin
  name?: string | undefined
  now: Date
}

/** What is left of a server's places, for the one who asks. */
export async function placesOf(
  db: Db,
  instance: Pick<Reserved['instance'], 'id' | 'clusterId'>,
  tokenId: number,
) {
  const made = await backupsOf(db, instance.id)
  const keep = await keptOf(db, instance.id)
  return {
    made,
    keep,
    limit: await backupLimitOf(db, tokenId),
    storage: await backupStorageOf(db, instance.clusterId),
    held: made.filter(isHeldBackup).length,
    taken: takenPlaces(made, keep),
  }
}

const NO_STORAGE = 'Backups are not set up here yet. Ask the operator.'

/** Why none can be made by hand now. */
export function handRefusal(places: Awaited<ReturnType<typeof placesOf>>): string | undefined {
  const { made, limit, taken, keep, storage } = places
  const isUnderWay = made.some(({ state }) => state === 'creating')
  return backupRefusal(taken, { limit, hasStorage: storage !== null, keep, isUnderWay })
}

function refusalFor(origin: BackupOrigin, places: Awaited<ReturnType<typeof placesOf>>) {
  const { limit, held, keep } = places
  const hasStorage = places.storage !== null
  if (origin === 'hand') return handRefusal(places)
  if (origin === 'end') return hasStorage ? undefined : NO_STORAGE
  // The operator may have lowered what the package grants since the schedule was set.
  return scheduleRefusal(Math.min(keep, Math.max(1, limit - held)), { limit, held, hasStorage })
}

/**
 * One of the server's places. The caller holds the lock of the instance: of several requests at once,
 * also in several processes, each counts those before it.
 */
export async function reserveBackup(
  tx: Db,
  { instance, token, origin, name, now }: Reserved,
  random: Random,
): Promise<BackupRow> {
  const places = await placesOf(tx, instance, token.id)
  const { storage } = places
  const why = refusalFor(origin, places)
  if (why !== undefined || storage === null) {
    throw new AppError('INVALID_STATE', why ?? NO_STORAGE)
  }
  const [row] = await tx
    .insert(backups)
    .values({
      instanceId: instance.id,
      clusterId: instance.clusterId,
      vmId: instance.vmId,
      origin,
      name: name || `Backup of ${now.toISOString().slice(0, 16).replace('T', ' ')}`,
      key: `hb-${random.bytes(8).toString('hex')}`,
      storage,
      ...(await systemNow(tx, token, instance.id)),
      createdAt: now,
    })
    .returning()
  if (!row) throw new Error('the database stored no backup')
  return row
}

/** What is on the disk at this moment, which a restore brings back. */
export const systemNow = async (tx: Db, token: SystemOfToken, instanceId: number) => ({
  osType: token.osType,
  templateId: token.templateId,
  username: token.username,
  loginMark: await loginMark(tx, token, instanceId),
})

/** Not begun yet: its node makes one backup at a time. */
export const isWaiting = ({ state, turn }: Pick<BackupRow, 'state' | 'turn'>) =>
  state === 'creating' && turn === null

/** The job of one that waits and holds nothing yet; undefined for every other. */
export async function waitingJobOf(tx: Db, backup: BackupRow): Promise<string | undefined> {
  if (!isWaiting(backup)) return undefined
  const [job] = await tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.kind, 'backup'),
        inArray(jobs.state, ['queued', 'running', 'waiting']),
        sql`${jobs.input} @> ${JSON.stringify({ backupId: backup.id, isFreeUntilTurn: true })}::jsonb`,
      ),
    )
  return job?.id
}

/** One that was never made, or no longer is. */
export const forgetUnmade = (tx: Db, id: number) =>
  tx.delete(backups).where(and(eq(backups.id, id), eq(backups.state, 'creating')))
