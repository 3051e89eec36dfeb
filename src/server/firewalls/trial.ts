import { and, eq, gt, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import type { ClientFirewall } from '#shared/rules/network/firewall-rules.ts'
import type { Db } from '../db/database.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { type FirewallDeps, writeFirewall } from './server-firewall.ts'
import { TRIAL_MS } from './wished-firewall.ts'

const nextVersion = sql`${firewalls.version} + 1`
const isOf = (instanceId: number) => eq(firewalls.instanceId, instanceId)
const NO_TRIAL = { trial: null, revertAt: null }
const NOT_REVERTED = { reverted: null, revertedAt: null }

/** A clock that ran ahead leaves times in the future: those are over, too. */
export const isOver = (now: Date): SQL | undefined =>
  or(lte(firewalls.revertAt, now), gt(firewalls.revertAt, new Date(now.getTime() + TRIAL_MS)))

/** Its rules in Proxmox would be lost: only an operator decides that (decision 025). */
export const KEPT_BY_HAND =
  'The firewall of this server is still kept in Proxmox by hand. Ask the operator to protect it here first.'

/** Stored before the cluster hears of it: whatever happens next, it is taken back in time. */
export async function beginTrial(
  tx: Db,
  instanceId: number,
  trial: ClientFirewall,
  now: Date,
): Promise<number> {
  const revertAt = new Date(now.getTime() + TRIAL_MS)
  const [begun] = await tx
    .update(firewalls)
    .set({ trial, revertAt, ...NOT_REVERTED, version: nextVersion })
    .where(and(isOf(instanceId), eq(firewalls.isKept, true)))
    .returning({ version: firewalls.version })
  if (begun) return begun.version
  throw new AppError('INVALID_STATE', KEPT_BY_HAND)
}

const USELESS: readonly FirewallFault[] = [
  'datacenter-off',
  'differs',
  'refused',
  'no-address',
  'not-ours',
]

const refusalOf = (faults: readonly FirewallFault[]): string | undefined => {
  if (faults.includes('datacenter-off')) {
    return 'The firewall of the datacenter is off, so these rules would not hold. The earlier ones stay. Ask the operator to switch it on.'
  }
  return faults.some((fault) => USELESS.includes(fault))
    ? 'The cluster did not take these rules. The earlier ones are put back.'
    : undefined
}

/**
 * Writes the rules that are tried; their minute begins when the cluster has them. If it does not
 * take them they are taken back, and the sweep restores what a half-done write has left. The caller
 * has the turn.
 */
export async function applyTrial(
  deps: FirewallDeps,
  instanceId: number,
  version: number,
): Promise<Date> {
  const { db, clock } = deps
  try {
    const why = refusalOf(await writeFirewall(deps, instanceId, {}))
    if (why !== undefined) throw new AppError('INVALID_STATE', why)
  } catch (error) {
    await takeBack(db, and(isOf(instanceId), eq(firewalls.version, version)), clock.now())
    throw error
  }
  const revertAt = new Date(clock.now().getTime() + TRIAL_MS)
  const [applied] = await db
    .update(firewalls)
    .set({ revertAt })
    .where(and(isOf(instanceId), eq(firewalls.version, version), isNotNull(firewalls.trial)))
    .returning({ revertAt: firewalls.revertAt })
  if (applied) return revertAt
  throw new AppError(
    'CHANGED_MEANWHILE',
    'The cluster took too long, or the rules were changed meanwhile. Look at them and try again.',
  )
}

/** Ends trials; those that this call has ended. */
export async function takeBack(
  db: Db,
  which: SQL | undefined,
  now: Date,
): Promise<{ instanceId: number }[]> {
  return await db
    .update(firewalls)
    .set({
      ...NO_TRIAL,
      reverted: sql`${firewalls.trial}`,
      revertedAt: now,
      version: nextVersion,
      // The sweep looks at once.
      checkedAt: null,
    })
    .where(and(isNotNull(firewalls.trial), which))
    .returning({ instanceId: firewalls.instanceId })
}

/**
 * Keeps what is tried, if the cluster has it and its time is not over. True if this call did it.
 * It is looked at soon: a process whose clock is ahead may have taken the rules back just now.
 */
export async function confirmTrial(tx: Db, instanceId: number, now: Date): Promise<boolean> {
  const kept = await tx
    .update(firewalls)
    .set({
      ...NO_TRIAL,
      confirmed: sql`${firewalls.trial}`,
      confirmedAt: now,
      checkedAt: null,
    })
    .where(
      and(
        isOf(instanceId),
        isNotNull(firewalls.trial),
        gt(firewalls.revertAt, now),
        lte(firewalls.version, firewalls.appliedVersion),
      ),
    )
    .returning({ instanceId: firewalls.instanceId })
  if (kept.length > 0) return true
  const [row] = await tx.select().from(firewalls).where(isOf(instanceId))
  const why = row === undefined ? NOTHING_TRIED : refusalToConfirm(row, now)
  if (why !== undefined) throw new AppError('INVALID_STATE', why)
  return false
}

const NOTHING_TRIED = 'There are no rules to confirm. Apply some first.'
const TOO_LATE =
  'These rules were taken back: the earlier ones are in force. Apply them again, then confirm within a minute.'

/** Undefined if what is there was confirmed before: a repeated press. */
function refusalToConfirm(row: typeof firewalls.$inferSelect, now: Date): string | undefined {
  if (row.revertAt !== null) {
    return row.revertAt > now
      ? 'The cluster does not have these rules yet. Wait a moment.'
      : TOO_LATE
  }
  if (row.reverted !== null) return TOO_LATE
  return row.confirmedAt === null ? NOTHING_TRIED : undefined
}
