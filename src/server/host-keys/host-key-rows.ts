import { and, eq, inArray, isNull } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { hostKeyLooks, hostKeys } from '../db/schema/ssh-keys.ts'
import { instances } from '../db/schema/stock.ts'
import { concerned, type EventBus } from '../events/event-bus.ts'
import type { HostKey } from '../ssh/host-key.ts'

type Seen = { instanceId: number; tokenId: number; keys: readonly HostKey[]; now: Date }

/**
 * Stores what a server showed; to store the same twice is to store it once. A key of a known type
 * that is another one is recorded, and then every key that was not shown now is a former one. A new
 * system is compared with what the one before it showed last.
 */
export async function storeHostKeys(
  tx: Db,
  { instanceId, tokenId, keys, now }: Seen,
  { events, audit }: { events: EventBus; audit: Audit },
): Promise<void> {
  // It may have been handed to someone else since it was asked.
  const [server] = await tx
    .select({ ownerId: instances.ownerId })
    .from(instances)
    .where(and(eq(instances.id, instanceId), eq(instances.tokenId, tokenId)))
    .for('update')
  if (!server) return
  const ofServer = eq(hostKeys.instanceId, instanceId)
  const all = await tx.select().from(hostKeys).where(ofServer)
  const before = all.filter(({ replacedAt }) => replacedAt === null)
  if (keys.length > 0) await upsert(tx, instanceId, keys, now)
  const shown = keys.map(({ fingerprint }) => fingerprint)
  const types = new Set(keys.map(({ type }) => type))
  const last = before.length > 0 ? before : lastReplaced(all)
  const gone = last.filter(({ fingerprint }) => !shown.includes(fingerprint))
  const isChanged = gone.some(({ type }) => types.has(type))
  if (isChanged) {
    const fingerprints = gone.map(({ fingerprint }) => fingerprint)
    await tx
      .update(hostKeys)
      .set({ replacedAt: now })
      .where(and(ofServer, inArray(hostKeys.fingerprint, fingerprints)))
  }
  const nextAt = new Date(now.getTime() + DAY_MS)
  await tx.update(hostKeyLooks).set({ nextAt }).where(eq(hostKeyLooks.instanceId, instanceId))
  const known = before.map(({ fingerprint }) => fingerprint)
  if (shown.some((fingerprint) => !known.includes(fingerprint))) {
    await events.emit(tx, concerned(server.ownerId), { type: 'changed', nouns: ['instances'] })
  }
  if (!isChanged) return
  const target = `instance:${instanceId}`
  await audit.record(tx, undefined, { action: 'instance.host-key-changed', target })
}

type Row = typeof hostKeys.$inferSelect

function lastReplaced(former: readonly Row[]): Row[] {
  const times = former.map(({ replacedAt }) => replacedAt?.getTime() ?? 0)
  const last = Math.max(...times)
  return former.filter((_, index) => times[index] === last)
}

const upsert = (tx: Db, instanceId: number, keys: readonly HostKey[], now: Date) =>
  tx
    .insert(hostKeys)
    .values(keys.map((key) => ({ instanceId, ...key, seenAt: now, lastSeenAt: now })))
    .onConflictDoUpdate({
      target: [hostKeys.instanceId, hostKeys.type, hostKeys.fingerprint],
      set: { lastSeenAt: now, replacedAt: null },
    })

/** For a VM that is released: the next client sees only what it shows then. */
export async function forgetHostKeys(tx: Db, instanceId: number): Promise<void> {
  await tx.delete(hostKeys).where(eq(hostKeys.instanceId, instanceId))
  await tx.delete(hostKeyLooks).where(eq(hostKeyLooks.instanceId, instanceId))
}

/** For a new system in place of the old: no key of that one is current, even if none follows it. */
export async function retireHostKeys(tx: Db, instanceId: number, now: Date): Promise<void> {
  await tx
    .update(hostKeys)
    .set({ replacedAt: now })
    .where(and(eq(hostKeys.instanceId, instanceId), isNull(hostKeys.replacedAt)))
  await lookAgain(tx, instanceId)
}

/** For a new system, which has made new keys: it is asked at once, and what changed is said. */
export const lookAgain = (tx: Db, instanceId: number) =>
  tx.delete(hostKeyLooks).where(eq(hostKeyLooks.instanceId, instanceId))
