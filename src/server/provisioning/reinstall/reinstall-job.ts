import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { seedSteps } from '../seed/seed-steps.ts'
import { commitStep } from './commit-step.ts'
import { dropStep, rememberStep, replaceStep, stopStep } from './disk-steps.ts'
import { firmwareStep } from './firmware-step.ts'
import { configureStep, seedSource, startStep } from './guest-steps.ts'
import { proofStep } from './proof-step.ts'
import { hold, ReinstallInput } from './reinstall-state.ts'

export const REINSTALL = 'reinstall'

/**
 * A new system in place of the old one: the same VM, address and MAC. The old disk is kept until
 * the new system answers; if it does not, the old one is back.
 */
export function reinstallJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const replace = replaceStep(deps, remember)
  const start = startStep(deps)
  const firmware = firmwareStep(deps, start)
  const seed = seedSteps(deps, seedSource(deps, remember))
  return defineJob({
    kind: REINSTALL,
    input: ReinstallInput,
    title: ({ name }) => `Reinstall ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      claimStep<ReinstallInput>(deps, {
        hold,
        actions: { undone: 'instance.reinstall-undone', left: 'instance.reinstall-left' },
        details: ({ osType }) => ({ osType }),
        words: {
          failed: 'The new system could not be installed.',
          back: 'The old system is back, with everything on it and its login.',
        },
      }),
      remember,
      stopStep(deps),
      replace,
      configureStep(deps, remember),
      seed.plan,
      seed.insert,
      start,
      firmware,
      proofStep(deps, { start, firmware }),
      seed.remove,
      commitStep(deps),
      dropStep(deps, { remember, replace }),
    ],
  })
}

export type ReinstallJob = ReturnType<typeof reinstallJob>
