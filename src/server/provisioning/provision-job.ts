import { defineJob } from '../jobs/job-definition.ts'
import { assignStep } from './assign-step.ts'
import { claimStep } from './claim-step.ts'
import { configureStep, resizeStep, startStep, waitStep } from './guest-steps.ts'
import { ProvisionInput, type SagaDeps } from './provision-world.ts'
import { cloneStep, vmIdStep } from './vm-steps.ts'

/** From a claimed token to a running server (P2). A ready token passes the steps that make a VM. */
export const provisionJob = (deps: SagaDeps) =>
  defineJob({
    kind: 'provision',
    input: ProvisionInput,
    title: ({ name }) => `Create ${name}`,
    steps: [
      claimStep(deps),
      vmIdStep(deps),
      cloneStep(deps),
      configureStep(deps),
      resizeStep(deps),
      startStep(deps),
      waitStep(deps),
      assignStep(deps),
    ],
  })

export type ProvisionJob = ReturnType<typeof provisionJob>
