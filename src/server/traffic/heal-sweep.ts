import { asc, eq, lt, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { instances } from '../db/schema/stock.ts'
import { serverTraffic, trafficDays, trafficGaps } from '../db/schema/traffic.ts'
import { type InstanceRow, vmOf } from '../inventory/vm/instance-row.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { daysOf } from './count/counted.ts'
import { partOf, type Span } from './count/sighting.ts'
import { healed, type Piece } from './healed.ts'

type HealDeps = Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'log'>
type GapRow = typeof trafficGaps.$inferSelect

/** As many in one go; the rest follows. After an outage every server may have a gap. */
const AT_ONCE = 100
/** The cluster's row of the last minute is written when the minute is over. */
const SETTLED_MS = 2 * MINUTE_MS
/** What is older is no longer asked for. */
const GIVE_UP_MS = 2 * DAY_MS

/**
 * Adds the traffic of the time we could not count: this process was down or the cluster away, and the
 * VM was restarted meanwhile, so its counters begin at zero. The cluster's own history still has it.
 */
export function createHealSweep(deps: HealDeps) {
  const { db, clock, log } = deps
  return async (): Promise<void> => {
    const now = clock.now().getTime()
    await db.delete(trafficGaps).where(lt(trafficGaps.toAt, new Date(now - GIVE_UP_MS)))
    const due = await db
      .select({ gap: trafficGaps, instance: instances })
      .from(trafficGaps)
      .innerJoin(instances, eq(instances.id, trafficGaps.instanceId))
      .where(lt(trafficGaps.toAt, new Date(now - SETTLED_MS)))
      .orderBy(asc(trafficGaps.id))
      .limit(AT_ONCE)
    const away = new Set<number>()
    for (const { gap, instance } of due) {
      if (away.has(instance.clusterId)) continue
      try {
        await add(db, gap, await history(deps, instance, spanOf(gap)))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'CLUSTER_UNAVAILABLE') away.add(instance.clusterId)
        log.warn({ err: error, instanceId: instance.id }, 'the traffic of a gap could not be read')
      }
    }
  }
}

const spanOf = ({ fromAt, toAt }: GapRow): Span => ({ from: fromAt.getTime(), to: toAt.getTime() })

async function history(
  { db, clock, hypervisors }: HealDeps,
  instance: InstanceRow,
  gap: Span,
): Promise<Piece[]> {
  const { hypervisor, inventory } = hypervisors.of(instance.clusterId)
  // Its history moves with it, and our row may not know yet.
  const node = inventory.vm(instance.vmId)?.node
  const vm = { ...(await vmOf(db, instance)), ...(node === undefined ? {} : { node }) }
  const fine = await hypervisor.metrics(vm, 'hour')
  const isOlder = gap.from < clock.now().getTime() - HOUR_MS
  const coarse = isOlder ? await hypervisor.metrics(vm, 'day') : []
  return healed({ fine, coarse }, gap)
}

/** Whoever deletes the gap adds its bytes, so that they are added once. */
async function add(db: Db, gap: GapRow, pieces: readonly Piece[]): Promise<void> {
  await db.transaction(async (tx) => {
    const taken = await tx
      .delete(trafficGaps)
      .where(eq(trafficGaps.id, gap.id))
      .returning({ id: trafficGaps.id })
    if (taken.length === 0) return
    const isServer = eq(serverTraffic.instanceId, gap.instanceId)
    const [row] = await tx.select().from(serverTraffic).where(isServer).for('update')
    if (!row) return
    const period = { from: row.periodFrom.getTime(), to: row.periodTo.getTime() }
    const parts = pieces.map((piece) => partOf(piece, period))
    const sum = (key: 'in' | 'out') => parts.reduce((total, part) => total + part[key], 0)
    await tx
      .update(serverTraffic)
      .set({ inBytes: row.inBytes + sum('in'), outBytes: row.outBytes + sum('out') })
      .where(isServer)
    for (const { day, ...bytes } of pieces.flatMap(daysOf)) {
      await tx
        .insert(trafficDays)
        .values({ instanceId: gap.instanceId, day, inBytes: bytes.in, outBytes: bytes.out })
        .onConflictDoUpdate({
          target: [trafficDays.instanceId, trafficDays.day],
          set: {
            inBytes: sql`${trafficDays.inBytes} + ${bytes.in}`,
            outBytes: sql`${trafficDays.outBytes} + ${bytes.out}`,
          },
        })
    }
  })
}
