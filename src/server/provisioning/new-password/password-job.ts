import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { hold, PasswordInput } from './password-state.ts'
import { applyStep, commitStep, configureStep, rememberStep } from './password-steps.ts'

/**
 * Another password for the first user of a server. Until the guest has it, the old one is stored and
 * shown; if the guest does not take it, the old one stays.
 */
export function passwordJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const configure = configureStep(deps, remember)
  const apply = applyStep(deps, { remember, configure })
  return defineJob({
    kind: 'password',
    input: PasswordInput,
    title: ({ name }) => `New password for ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      claimStep<PasswordInput>(deps, {
        hold,
        actions: { undone: 'instance.password-undone', left: 'instance.password-left' },
        details: () => ({}),
        words: {
          failed: 'The password could not be changed.',
          back: 'The old password is still valid.',
        },
      }),
      remember,
      configure,
      apply,
      commitStep(deps, apply),
    ],
  })
}

export type PasswordJob = ReturnType<typeof passwordJob>
