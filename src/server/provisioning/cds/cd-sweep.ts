import { and, asc, eq, gt, isNotNull, isNull, lte, notInArray, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { isCdOver } from '#shared/rules/instance/cds.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { instances, ownIsos, serverCds, tokens } from '../../db/schema/stock.ts'
import { isHeld } from '../../inventory/vm/acts-under-way.ts'
import type { Deps } from '../../runtime/deps.ts'
import { holdServer } from '../hold/hold-server.ts'
import { mustBeOff } from '../lifecycle/switch-vm.ts'
import type { TakeOutJob } from './take-out-job.ts'

/** After a failure the next attempt is begun this much later. */
const RETRY_MS = 10 * MINUTE_MS
const AT_ONCE = 100

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'jobs' | 'hypervisors' | 'log'> & {
  takeCdOut: TakeOutJob
}

/**
 * Takes out the CDs that were booted once, and those of servers that ended or are suspended; deletes
 * images that clients had downloaded when their time is over.
 */
export function createCdSweep({ db, clock, jobs, hypervisors, log, takeCdOut }: SweepDeps) {
  const isRested = (column: typeof serverCds.triedAt | typeof ownIsos.triedAt, now: Date) =>
    or(
      isNull(column),
      lte(column, new Date(now.getTime() - RETRY_MS)),
      // A clock that ran ahead leaves times in the future.
      gt(column, now),
    )

  const seen = ({ clusterId, vmId }: { clusterId: number; vmId: number }) =>
    hypervisors.all().get(clusterId)?.inventory.vm(vmId)

  const begin = (instanceId: number, tokenId: number) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const [token] = await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
      const instance = await lockInstance(tx, instanceId)
      const [cd] = await tx.select().from(serverCds).where(eq(serverCds.instanceId, instanceId))
      if (!cd || !token || !instance || cd.bootedAt === null) return
      if (instance.missingSince !== null || isHeld(instance, now)) return
      if (!mustBeOff({ token, instance }) && !isCdOver(cd, seen(instance), now)) return
      await tx.update(serverCds).set({ triedAt: now }).where(eq(serverCds.instanceId, instanceId))
      const server = { id: instanceId, name: instance.name, tokenId }
      const input = { ...(await holdServer(tx, server, now)), kind: cd.kind }
      const { ownerId } = instance
      await jobs.enqueue(tx, takeCdOut, input, ownerId === null ? {} : { ownerId })
    })

  const takeOut = async () => {
    const rows = await db
      .select({ instance: instances, tokenId: instances.tokenId })
      .from(serverCds)
      .innerJoin(instances, eq(instances.id, serverCds.instanceId))
      .where(
        and(
          isNotNull(serverCds.bootedAt),
          isRested(serverCds.triedAt, clock.now()),
          isNull(instances.missingSince),
          isNotNull(instances.tokenId),
        ),
      )
      .orderBy(asc(serverCds.putInAt))
    for (const { instance, tokenId } of rows) {
      if (tokenId !== null) await begin(instance.id, tokenId)
    }
  }

  /** One in a drive stays: without its file the server would not start. */
  const forgetImages = async () => {
    const now = clock.now()
    const inDrives = db.select({ volume: serverCds.volume }).from(serverCds)
    const rows = await db
      .select()
      .from(ownIsos)
      .where(
        and(
          or(lte(ownIsos.expiresAt, now), isNull(ownIsos.instanceId)),
          isRested(ownIsos.triedAt, now),
          notInArray(ownIsos.volume, inDrives),
        ),
      )
      .orderBy(asc(ownIsos.expiresAt))
      .limit(AT_ONCE)
    for (const row of rows) {
      await db.update(ownIsos).set({ triedAt: now }).where(eq(ownIsos.id, row.id))
      try {
        await hypervisors.of(row.clusterId).hypervisor.removeIso(row)
        await db.delete(ownIsos).where(eq(ownIsos.id, row.id))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        log.warn({ err: error, volume: row.volume }, 'the image of a client was not deleted')
      }
    }
  }

  return async (): Promise<void> => {
    await takeOut()
    await forgetImages()
  }
}

async function lockInstance(tx: Db, id: number) {
  const [instance] = await tx.select().from(instances).where(eq(instances.id, id)).for('update')
  return instance
}
