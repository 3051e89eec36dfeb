import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { firewallStep } from '../hold/firewall-step.ts'
import { rateStep } from '../hold/rate-step.ts'
import { undoneBy } from '../snapshots/snapshot-state.ts'
import { BackupInput, hold } from './backup-state.ts'
import { freeSource, sourceState } from './restore-source.ts'
import {
  commitStep,
  configureStep,
  fitStep,
  rememberStep,
  restoreStep,
  startStep,
  stopStep,
} from './restore-steps.ts'

/**
 * Replaces the disks of a server by those of a backup, its own or one of another server of its client,
 * which is held as well. The cluster brings back configuration and firewall of that time, too, with
 * an address that may be another server's by now: before the server starts, and also if the restore
 * is given up, it has the present ones again.
 */
export function restoreJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const start = startStep(deps, remember)
  const claim = claimStep<BackupInput>(deps, {
    hold,
    actions: { undone: 'instance.restore-undone', left: 'instance.restore-left' },
    details: () => ({}),
    words: {
      failed: 'The backup could not be restored.',
      back: 'Address, size, firewall and login are as before; look at what is on its disk.',
    },
  })
  return defineJob({
    kind: 'restore',
    isLong: true,
    input: BackupInput,
    title: ({ name }) => `Restore ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      undoneBy(claim, async ({ input }) => {
        const status = await sourceState(deps, input)
        await deps.db.transaction((tx) => freeSource(tx, deps, { input, status }))
      }),
      remember,
      fitStep(deps, remember),
      stopStep(deps, remember),
      restoreStep(deps, remember),
      configureStep(deps, remember),
      firewallStep(deps),
      rateStep(deps),
      start,
      commitStep(deps, start),
    ],
  })
}

export type RestoreJob = ReturnType<typeof restoreJob>
