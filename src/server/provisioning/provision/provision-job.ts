import { and, eq } from 'drizzle-orm'
import { orders } from '../../db/schema/sales.ts'
import { defineJob, tokenSubject } from '../../jobs/job-definition.ts'
import { KEEPS_TRYING } from '../../jobs/public-failure.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { firmwareStep } from '../proof/firmware-step.ts'
import { seedSteps } from '../seed/seed-steps.ts'
import { assignStep } from './assign-step.ts'
import { claimStep } from './claim-step.ts'
import {
  configureStep,
  firewallStep,
  rateStep,
  resizeStep,
  seedSource,
  startStep,
  waitStep,
} from './guest-steps.ts'
import { guestOf, proofStep } from './proof-step.ts'
import { type ProvisionDeps, ProvisionInput } from './provision-state.ts'
import { cloneStep, vmIdStep } from './vm-steps.ts'

/**
 * From a claimed token to a running server (P2). A ready token skips the steps that create a VM.
 * The money stays held until the new server answers (decision 039).
 */
export function provisionJob(deps: ProvisionDeps) {
  const clone = cloneStep(deps)
  const wait = waitStep(deps)
  const start = startStep(deps)
  const firmware = firmwareStep(deps, { start, guest: (context) => guestOf(deps, context) })
  const proof = proofStep(deps, firmware)
  const seed = seedSteps(deps, seedSource(deps))
  return defineJob({
    kind: 'provision',
    input: ProvisionInput,
    title: ({ name }) => `Create ${name}`,
    subject: ({ tokenId }) => tokenSubject(tokenId),
    steps: [
      claimStep(deps),
      vmIdStep(deps),
      clone,
      configureStep(deps),
      resizeStep(deps),
      firewallStep(deps),
      rateStep(deps),
      seed.plan,
      seed.insert,
      start,
      firmware,
      wait,
      proof,
      seed.remove,
      assignStep(deps, { clone, wait, proof }),
    ],
    late: async ({ jobId, input }, failure) => {
      await deps.db.transaction(async (tx) => {
        const noted = await tx
          .update(orders)
          .set({ failure: KEEPS_TRYING, failureDetail: failure.message })
          .where(and(eq(orders.jobId, jobId), eq(orders.status, 'provisioning')))
          .returning({ id: orders.id })
        if (noted.length > 0) await publishTokenChange(tx, deps.events, input.userId)
      })
    },
  })
}

export type ProvisionJob = ReturnType<typeof provisionJob>
