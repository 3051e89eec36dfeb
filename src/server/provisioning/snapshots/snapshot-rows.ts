import { createHash } from 'node:crypto'
import { and, asc, desc, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { quotaRefusal, SNAPSHOT_DAYS, SNAPSHOT_QUOTA } from '#shared/rules/instance/snapshots.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { snapshots } from '../../db/schema/snapshots.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import type { Random } from '../../lib/random.ts'
import { saysPackage } from '../../orders/package-of-server.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'

export type SnapshotRow = typeof snapshots.$inferSelect

export const snapshotsOf = (db: Db, instanceId: number): Promise<SnapshotRow[]> =>
  db.select().from(snapshots).where(eq(snapshots.instanceId, instanceId)).orderBy(asc(snapshots.id))

export async function snapshotById(db: Db, id: number): Promise<SnapshotRow | undefined> {
  const [row] = await db.select().from(snapshots).where(eq(snapshots.id, id))
  return row
}

export type SnapshotTerms = { quota: number; days: number }

/** What its package grants; the usual where it has none. */
export async function termsOf(db: Db, tokenId: number): Promise<SnapshotTerms> {
  const [plan] = await db
    .select({ quota: packages.snapshotQuota, days: packages.snapshotDays })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(and(eq(orders.tokenId, tokenId), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
  return plan ?? { quota: SNAPSHOT_QUOTA, days: SNAPSHOT_DAYS }
}

/** What a snapshot or a backup remembers of its server, besides its disks. */
export type SystemOfToken = Pick<TokenRow, 'id' | 'osType' | 'templateId' | 'username' | 'password'>

/** Equal as long as the server is signed in to in the same way. */
export async function loginMark(
  db: Db,
  { username, password }: Pick<TokenRow, 'username' | 'password'>,
  instanceId: number,
): Promise<string> {
  const keys = (await keysOn(db, instanceId)).toSorted()
  const text = JSON.stringify([username, keys.length > 0 ? keys : password])
  return createHash('sha256').update(text).digest('base64url')
}

type Reserved = {
  instanceId: number
  token: SystemOfToken
  name: string | undefined
  days: number | undefined
  now: Date
}

/**
 * One of the server's quota. The caller holds the lock of the instance: of several requests at once,
 * also in several processes, each counts those before it.
 */
export async function reserveSnapshot(
  tx: Db,
  { instanceId, token, name, days, now }: Reserved,
  random: Random,
): Promise<SnapshotRow> {
  const terms = await termsOf(tx, token.id)
  const taken = await snapshotsOf(tx, instanceId)
  const why = quotaRefusal(taken.length, terms.quota)
  if (why !== undefined) throw new AppError('INVALID_STATE', why)
  const kept = days ?? terms.days
  if (kept > terms.days) {
    const most = terms.days === 1 ? '1 day' : `${terms.days} days`
    throw new AppError('INVALID_INPUT', `A snapshot of this server is kept for at most ${most}.`)
  }
  const [row] = await tx
    .insert(snapshots)
    .values({
      instanceId,
      name: name || `Snapshot of ${now.toISOString().slice(0, 16).replace('T', ' ')}`,
      vmSnapshot: `hb-${random.bytes(8).toString('hex')}`,
      osType: token.osType,
      templateId: token.templateId,
      username: token.username,
      loginMark: await loginMark(tx, token, instanceId),
      createdAt: now,
      expiresAt: new Date(now.getTime() + kept * DAY_MS),
    })
    .returning()
  if (!row) throw new Error('the database stored no snapshot')
  return row
}

export const markTaken = (tx: Db, id: number, { volume, now }: { volume: string; now: Date }) =>
  tx
    .update(snapshots)
    .set({ state: 'ready', volume, takenAt: now })
    .where(and(eq(snapshots.id, id), eq(snapshots.state, 'creating')))

/** One that was never taken, or no longer is. */
export const forgetUntaken = (tx: Db, id: number) =>
  tx.delete(snapshots).where(and(eq(snapshots.id, id), eq(snapshots.state, 'creating')))
