import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { firewallStep } from '../hold/firewall-step.ts'
import { rateStep } from '../hold/rate-step.ts'
import {
  clearStep,
  commitStep,
  configureStep,
  rememberStep,
  rollBackStep,
  startStep,
  stopStep,
} from './rollback-steps.ts'
import { hold, SnapshotInput } from './snapshot-state.ts'

/**
 * Brings the disks of a server back to a snapshot. The cluster brings back the configuration of that
 * time, too, with an address that may be another server's by now: before the server starts, and also
 * if the rollback is given up, it has the present one again.
 */
export function rollbackJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const rollBack = rollBackStep(deps)
  const start = startStep(deps, remember)
  return defineJob({
    kind: 'rollback',
    input: SnapshotInput,
    title: ({ name }) => `Roll back ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      claimStep<SnapshotInput>(deps, {
        hold,
        actions: { undone: 'instance.rollback-undone', left: 'instance.rollback-left' },
        details: () => ({}),
        words: {
          failed: 'The server could not be rolled back.',
          back: 'Address, size and login are as before; look at what is on its disk.',
        },
      }),
      remember,
      stopStep(deps, remember),
      clearStep(deps),
      rollBack,
      configureStep(deps, remember),
      firewallStep(deps),
      rateStep(deps),
      start,
      commitStep(deps, { remember, start }),
    ],
  })
}

export type RollbackJob = ReturnType<typeof rollbackJob>
