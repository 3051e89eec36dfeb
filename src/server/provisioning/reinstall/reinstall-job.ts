import { defineJob } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { claimStep } from '../hold/claim-step.ts'
import { firewallStep } from '../hold/firewall-step.ts'
import { rateStep } from '../hold/rate-step.ts'
import { firmwareStep } from '../proof/firmware-step.ts'
import { seedSteps } from '../seed/seed-steps.ts'
import { undoneBy } from '../snapshots/snapshot-state.ts'
import { commitStep } from './commit-step.ts'
import { dropStep, rememberStep, replaceStep, stopStep } from './disk-steps.ts'
import { configureStep, seedSource, startStep } from './guest-steps.ts'
import { guestOf, proofStep } from './proof-step.ts'
import { hold, ReinstallInput } from './reinstall-state.ts'
import { forgetSnapshot, snapshotStep } from './snapshot-step.ts'

export const REINSTALL = 'reinstall'

/**
 * A new system in place of the old one: the same VM, address and MAC. The old disk is kept until
 * the new system answers; if it does not, the old one is back.
 */
export function reinstallJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  const replace = replaceStep(deps, remember)
  const start = startStep(deps)
  const firmware = firmwareStep(deps, { start, guest: (context) => guestOf(deps, context) })
  const seed = seedSteps(deps, seedSource(deps, remember))
  const claim = claimStep<ReinstallInput>(deps, {
    hold,
    actions: { undone: 'instance.reinstall-undone', left: 'instance.reinstall-left' },
    details: ({ osType }) => ({ osType }),
    words: {
      failed: 'The new system could not be installed.',
      back: 'The old system is back, with everything on it. Its login may again be the one on its page, and its host keys may be new.',
    },
  })
  return defineJob({
    kind: REINSTALL,
    input: ReinstallInput,
    title: ({ name }) => `Reinstall ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      undoneBy(claim, (context) => forgetSnapshot(deps, context)),
      remember,
      stopStep(deps),
      snapshotStep(deps),
      replace,
      configureStep(deps, remember),
      seed.plan,
      seed.insert,
      firewallStep(deps),
      rateStep(deps),
      start,
      firmware,
      proofStep(deps, { start, firmware }),
      seed.remove,
      commitStep(deps),
      dropStep(deps, { remember, replace, start }),
    ],
  })
}

export type ReinstallJob = ReturnType<typeof reinstallJob>
