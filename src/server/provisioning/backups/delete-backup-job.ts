import { eq } from 'drizzle-orm'
import { backups } from '../../db/schema/snapshots.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep, stateOf } from '../hold/claim-step.ts'
import { release } from '../hold/hold-server.ts'
import { undoneBy } from '../snapshots/snapshot-state.ts'
import { requireBackup } from './backup-rows.ts'
import { type BackupContext, BackupInput, holdAnyway as hold } from './backup-state.ts'

/** Deletes a backup by a person's wish. */
export function deleteBackupJob(deps: JobDeps) {
  const { db } = deps
  const claim = claimStep<BackupInput>(deps, {
    hold,
    actions: { undone: 'instance.backup-delete-undone', left: 'instance.backup-delete-left' },
    details: () => ({}),
    words: { failed: 'The backup could not be deleted.', back: 'It is still there.' },
  })
  const keep = ({ input }: BackupContext) =>
    db.update(backups).set({ state: 'ready' }).where(eq(backups.id, input.backupId))
  return defineJob({
    kind: 'backup-delete',
    input: BackupInput,
    title: ({ name }) => `Delete a backup of ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [undoneBy(claim, keep), removeStep(deps), commitStep(deps)],
  })
}

export type DeleteBackupJob = ReturnType<typeof deleteBackupJob>

function removeStep(deps: JobDeps): Step<BackupInput> {
  const run = async ({ input }: BackupContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { storage, volume, key } = await requireBackup(deps.db, input.backupId)
    await hypervisor.deleteBackup(vm, { storage, volume, key })
  }
  return { name: 'remove', run }
}

function commitStep(deps: JobDeps): Step<BackupInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input }: BackupContext) => {
    const before = await hold.heldBy(db, input)
    if (!before) return
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      await tx.delete(backups).where(eq(backups.id, input.backupId))
      await release(tx, held, status, clock.now())
      await publishTokenChange(tx, events, held.instance.ownerId)
      const target = `instance:${held.instance.id}`
      await audit.record(tx, undefined, { action: 'instance.backup-deleted', target })
    })
  }
  return { name: 'commit', run }
}
