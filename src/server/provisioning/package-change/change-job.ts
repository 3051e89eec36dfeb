import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { undoneBy } from '../snapshots/snapshot-state.ts'
import { ChangeInput, hold } from './change-state.ts'
import {
  commitStep,
  diskStep,
  payBack,
  rememberStep,
  sizeStep,
  startStep,
  stopStep,
} from './change-steps.ts'

/**
 * Gives a server the size of another package. Its money is earned together with the change; if the
 * change is given up at any step, the size is as before and the money is the client's credit.
 */
export function changeJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  return defineJob({
    kind: 'package-change',
    input: ChangeInput,
    title: ({ name, planName }) => `Change ${name} to ${planName}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      undoneBy(
        claimStep<ChangeInput>(deps, {
          hold,
          actions: { undone: 'instance.package-undone', left: 'instance.package-left' },
          details: ({ planName }) => ({ package: planName }),
          words: {
            failed: 'The package could not be changed.',
            back: 'The server has its former size, and what you paid for the change is your credit.',
          },
        }),
        payBack(deps),
      ),
      remember,
      stopStep(deps, remember),
      sizeStep(deps, remember),
      diskStep(deps),
      startStep(deps, remember),
      commitStep(deps, remember),
    ],
  })
}

export type ChangeJob = ReturnType<typeof changeJob>
