import { and, eq } from 'drizzle-orm'
import { backups } from '../../db/schema/snapshots.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep, stateOf } from '../hold/claim-step.ts'
import type { Hold, Target } from '../hold/held-server.ts'
import { release } from '../hold/hold-server.ts'
import { mustBeOff, switchOn } from '../lifecycle/switch-vm.ts'
import { undoneBy } from '../snapshots/snapshot-state.ts'
import { forgetUnmade, requireBackup } from './backup-rows.ts'
import { type BackupContext, BackupInput, hold, holdAnyway } from './backup-state.ts'
import { type Turn, takeTurn } from './backup-turn.ts'

type Made = { volume: string; sizeBytes: number | null; at: string }

type Rules = { kind: string; hold: Hold; title(input: BackupInput): string }

/** A backup of a server's disks, while it runs. One that could not be made leaves nothing. */
export const backupJob = (deps: JobDeps) =>
  jobBy(deps, { kind: 'backup', hold, title: ({ name }) => `Back up ${name}` })

/** The same of a server whose time has ended. */
export const lastBackupJob = (deps: JobDeps) =>
  jobBy(deps, {
    kind: 'last-backup',
    hold: holdAnyway,
    title: ({ name }) => `Back up ${name} a last time`,
  })

function jobBy(deps: JobDeps, { kind, hold, title }: Rules) {
  const claim = claimStep<BackupInput>(deps, {
    hold,
    actions: { undone: 'instance.backup-undone', left: 'instance.backup-left' },
    details: () => ({}),
    words: { failed: 'The backup could not be made.', back: 'The server is as it was.' },
  })
  const turn: Step<BackupInput, Turn> = {
    ...undoneBy(claim, async (context) => {
      await forgetUnmade(deps.db, context.input.backupId)
      await hold.undoOn(deps, context, wakeIfRenewed(kind))
    }),
    name: 'turn',
    run: ({ input }) => takeTurn(deps, hold, input),
  }
  const make = makeStep(deps, { hold, turn })
  return defineJob({
    kind,
    isLong: true,
    input: BackupInput,
    title,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [turn, make, commitStep(deps, { make, hold, wake: wakeIfRenewed(kind) })],
  })
}

export type BackupJob = ReturnType<typeof backupJob>

/** Renewed during its last backup, which the job that starts it may not have outlasted. */
const wakeIfRenewed = (kind: string) => async (target: Target) => {
  if (kind !== 'last-backup' || target.token.status !== 'assigned' || mustBeOff(target)) return
  await switchOn(target)
}

type Making = { hold: Hold; turn: Step<BackupInput, Turn> }

function makeStep(deps: JobDeps, { hold, turn }: Making): Step<BackupInput, Made | null> {
  const run = async ({ input, output }: BackupContext): Promise<Made | null> => {
    if (output(turn)?.isCancelled) return null
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { storage, key, name } = await requireBackup(deps.db, input.backupId)
    const made = await hypervisor.takeBackup(vm, { storage, key, name })
    const { volume, sizeBytes = null, takenAt = deps.clock.now() } = made
    return { volume, sizeBytes, at: takenAt.toISOString() }
  }
  const undo = (context: BackupContext) =>
    hold.undoOn(deps, context, async ({ hypervisor, vm }) => {
      const { storage, volume, key } = await requireBackup(deps.db, context.input.backupId)
      await hypervisor.deleteBackup(vm, { storage, volume, key })
    })
  return { name: 'make', run, undo }
}

type Commit = {
  make: Step<BackupInput, Made | null>
  hold: Hold
  wake: (target: Target) => Promise<void>
}

function commitStep(deps: JobDeps, { make, hold, wake }: Commit): Step<BackupInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input, output }: BackupContext) => {
    const before = await hold.heldBy(db, input)
    const made = output(make)
    if (!before || !made) return
    await wake(await hold.targetOf(deps, input))
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      const { volume, sizeBytes, at } = made
      await tx
        .update(backups)
        .set({ state: 'ready', volume, sizeBytes, takenAt: new Date(at), turn: null })
        .where(and(eq(backups.id, input.backupId), eq(backups.state, 'creating')))
      await release(tx, held, status, clock.now())
      await publishTokenChange(tx, events, held.instance.ownerId)
      const target = `instance:${held.instance.id}`
      await audit.record(tx, undefined, { action: 'instance.backed-up', target })
    })
  }
  return { name: 'commit', run }
}
