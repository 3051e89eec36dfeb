import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import { describeFailure, type Step, type StepContext } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { holdBy, type Target } from '../hold/held-server.ts'
import { holdServer } from '../hold/hold-server.ts'
import { isMissing } from '../lifecycle/switch-vm.ts'
import { type SnapshotRow, snapshotById } from './snapshot-rows.ts'

export const SnapshotInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name the server was sold by. */
  name: z.string(),
  snapshotId: z.number().int(),
  /** What the cluster calls it. */
  vmSnapshot: z.string(),
  since: z.string(),
})
export type SnapshotInput = z.output<typeof SnapshotInput>
export type SnapshotContext = StepContext<SnapshotInput>

const OVER = 'This work on a snapshot is over. Begin another one.'

export const hold = holdBy({ status: UPDATING, over: OVER })
/** Snapshots are deleted also of a server whose time is over. */
export const holdAnyway = holdBy({ status: UPDATING, over: OVER, mayBeOff: true })

/** Holds a server for a job that works on a snapshot of it. The caller holds its lock. */
export async function holdForSnapshot(
  tx: Db,
  server: { id: number; name: string; tokenId: number },
  snapshot: SnapshotRow,
  at: Date,
): Promise<SnapshotInput> {
  const held = await holdServer(tx, server, at)
  return { ...held, snapshotId: snapshot.id, vmSnapshot: snapshot.vmSnapshot }
}

export async function requireSnapshot(db: Db, id: number): Promise<SnapshotRow> {
  const row = await snapshotById(db, id)
  if (!row) throw new AppError('NOT_FOUND', 'The snapshot no longer exists.')
  return row
}

/** The same step; its undo then also does this. */
export const undoneBy = <I>(
  step: Step<I>,
  also: (context: StepContext<I>) => Promise<unknown>,
) => ({
  ...step,
  undo: async (context: StepContext<I>) => {
    await also(context)
    await step.undo?.(context)
  },
})

/**
 * Removes the disk of a former system that no snapshot needs any more. One that cannot be removed is
 * no reason to fail: it goes with the VM.
 */
export async function dropDisk(
  { log }: Pick<JobDeps, 'log'>,
  { hypervisor, vm }: Pick<Target, 'hypervisor' | 'vm'>,
  volume: string | null,
): Promise<void> {
  if (volume === null) return
  try {
    await hypervisor.dropSpareDisk(vm, volume)
  } catch (error) {
    if (isMissing(error)) return
    if (describeFailure(error).retry === 'later') throw error
    log.warn({ err: error, vmId: vm.vmId }, 'the disk of a former system was left')
  }
}
