import { eq } from 'drizzle-orm'
import { snapshots } from '../../db/schema/snapshots.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { forgetUntaken, markTaken, snapshotById } from '../snapshots/snapshot-rows.ts'
import { type ReinstallContext, type ReinstallInput, targetOf, undoOn } from './reinstall-state.ts'

/**
 * A snapshot of the old system, if its client wants a way back. It needs the old disk, which is
 * therefore kept beside the new one until the snapshot is deleted; a rollback attaches it again.
 */
export function snapshotStep(deps: JobDeps): Step<ReinstallInput> {
  const { db, clock } = deps

  const run = async ({ input }: ReinstallContext) => {
    if (input.snapshot === undefined) return
    const { id, vmSnapshot } = input.snapshot
    const { hypervisor, vm } = await targetOf(deps, input)
    const description = (await snapshotById(db, id))?.name ?? ''
    const { volume } = await hypervisor.takeSnapshot(vm, { name: vmSnapshot, description })
    await markTaken(db, id, { volume, now: clock.now() })
  }

  /** The old system is back on its disk: nothing was lost, so nothing has to be kept. */
  const undo = (context: ReinstallContext) =>
    undoOn(deps, context, async ({ hypervisor, vm }) => {
      const { snapshot } = context.input
      if (snapshot === undefined) return
      await hypervisor.deleteSnapshot(vm, snapshot.vmSnapshot)
      await db.delete(snapshots).where(eq(snapshots.id, snapshot.id))
    })

  return { name: 'snapshot', run, undo }
}

/** Also where the step itself never ran: the quota counts it from the request on. */
export async function forgetSnapshot({ db }: JobDeps, { input }: ReinstallContext): Promise<void> {
  if (input.snapshot !== undefined) await forgetUntaken(db, input.snapshot.id)
}
