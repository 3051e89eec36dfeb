import { eq } from 'drizzle-orm'
import { snapshots } from '../../db/schema/snapshots.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep, stateOf } from '../hold/claim-step.ts'
import { release } from '../hold/hold-server.ts'
import { isMissing } from '../lifecycle/switch-vm.ts'
import { snapshotById } from './snapshot-rows.ts'
import {
  dropDisk,
  holdAnyway as hold,
  type SnapshotContext,
  SnapshotInput,
  undoneBy,
} from './snapshot-state.ts'

/** Deletes a snapshot, by a person's wish or because its time is over. */
export function deleteSnapshotJob(deps: JobDeps) {
  const { db } = deps
  const claim = claimStep<SnapshotInput>(deps, {
    hold,
    actions: {
      undone: 'instance.snapshot-delete-undone',
      left: 'instance.snapshot-delete-left',
    },
    details: () => ({}),
    words: { failed: 'The snapshot could not be deleted.', back: 'It is still there.' },
  })
  const keep = ({ input }: SnapshotContext) =>
    db.update(snapshots).set({ state: 'ready' }).where(eq(snapshots.id, input.snapshotId))
  return defineJob({
    kind: 'snapshot-delete',
    input: SnapshotInput,
    title: ({ name }) => `Delete a snapshot of ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [undoneBy(claim, keep), removeStep(deps), commitStep(deps)],
  })
}

export type DeleteSnapshotJob = ReturnType<typeof deleteSnapshotJob>

function removeStep(deps: JobDeps): Step<SnapshotInput> {
  const run = async ({ input }: SnapshotContext) => {
    const target = await hold.targetOf(deps, input)
    const row = await snapshotById(deps.db, input.snapshotId)
    try {
      await target.hypervisor.deleteSnapshot(target.vm, input.vmSnapshot)
    } catch (error) {
      // It went with its VM.
      if (!isMissing(error)) throw error
      return
    }
    await dropDisk(deps, target, row?.volume ?? null)
  }
  return { name: 'remove', run }
}

function commitStep(deps: JobDeps): Step<SnapshotInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input }: SnapshotContext) => {
    const before = await hold.heldBy(db, input)
    if (!before) return
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      await tx.delete(snapshots).where(eq(snapshots.id, input.snapshotId))
      await release(tx, held, status, clock.now())
      await publishTokenChange(tx, events, held.instance.ownerId)
      const target = `instance:${held.instance.id}`
      await audit.record(tx, undefined, { action: 'instance.snapshot-deleted', target })
    })
  }
  return { name: 'commit', run }
}
