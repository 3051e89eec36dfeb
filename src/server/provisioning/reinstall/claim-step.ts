import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { type JobFailure, jobs } from '../../db/schema/work.ts'
import { vmOf } from '../../inventory/vm/instance-row.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { COULD_NOT, KEEPS_TRYING, publicTextOf } from '../../jobs/public-failure.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import {
  forgetLogin,
  type Held,
  heldBy,
  lockHeld,
  type ReinstallContext,
  type ReinstallInput,
  targetOf,
} from './reinstall-state.ts'

/**
 * The server was claimed together with the request. A job that has failed does not claim it again:
 * what is on the disk by then was not meant when it was confirmed.
 */
export function claimStep(deps: JobDeps): Step<ReinstallInput> {
  const { db, clock, events, audit } = deps

  const run = async ({ input }: ReinstallContext) => {
    await targetOf(deps, input)
  }

  /** The end of every undo: the old system is back, and the server may be acted on again. */
  const undo = async ({ jobId, input, isGivenUp }: ReinstallContext) => {
    const before = await heldBy(db, input)
    if (!before) return
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = await lockHeld(tx, input)
      if (!held) return
      await tx
        .update(instances)
        .set({ status, lastUpdated: clock.now() })
        .where(eq(instances.id, held.instance.id))
      await forgetLogin(tx, jobId)
      await tellClient(tx, jobId, isGivenUp ? LEFT : BACK)
      await publishTokenChange(tx, events, held.instance.ownerId)
      await audit.record(tx, undefined, {
        action: isGivenUp ? 'instance.reinstall-left' : 'instance.reinstall-undone',
        target: `instance:${held.instance.id}`,
        details: { osType: input.osType },
      })
    })
  }

  return { name: 'claim', run, undo }
}

const BACK = 'The old system is back, with everything on it and its login.'
const LEFT = 'The operator takes care of it.'
const FAILED = 'The new system could not be installed.'

/** The failure as its client reads it: why, and what became of the server. */
async function tellClient(tx: Db, jobId: string, end: string): Promise<void> {
  const [row] = await tx.select({ failure: jobs.failure }).from(jobs).where(eq(jobs.id, jobId))
  if (!row?.failure) return
  const publicMessage = `${reasonOf(row.failure)} ${end}`
  await tx
    .update(jobs)
    .set({ failure: { ...row.failure, publicMessage } })
    .where(eq(jobs.id, jobId))
}

function reasonOf(failure: JobFailure): string {
  const text = publicTextOf(failure)
  return text === COULD_NOT || text === KEEPS_TRYING ? FAILED : text
}

/** Unknown if the cluster cannot tell: the next poll does. */
async function stateOf({ db, hypervisors }: JobDeps, { instance }: Held): Promise<string> {
  try {
    const { hypervisor } = hypervisors.of(instance.clusterId)
    return (await hypervisor.vm(await vmOf(db, instance))).state
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return 'unknown'
  }
}
