import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { type JobFailure, jobs } from '../../db/schema/work.ts'
import { vmOf } from '../../inventory/vm/instance-row.ts'
import type { Step, StepContext } from '../../jobs/job-definition.ts'
import { COULD_NOT, KEEPS_TRYING, publicTextOf } from '../../jobs/public-failure.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { Held, Hold, HoldInput } from './held-server.ts'
import { forgetLogin } from './stored-login.ts'

type Claim<I extends HoldInput> = {
  hold: Hold
  /** What the log says if all was undone, and if an operator gave the undoing up. */
  actions: { undone: string; left: string }
  details: (input: I) => Record<string, string>
  /** What its client reads: what could not be done, and what became of the server. */
  words: { failed: string; back: string }
}

/**
 * The server was claimed together with the request. A job that has failed does not claim it again:
 * what is on the disk by then was not meant when it was asked for.
 */
export function claimStep<I extends HoldInput>(deps: JobDeps, claim: Claim<I>): Step<I> {
  const { db, clock, events, audit } = deps
  const { hold, actions, words } = claim

  const run = async ({ input }: StepContext<I>) => {
    await hold.targetOf(deps, input)
  }

  /** The end of every undo: all is as before, and the server may be acted on again. */
  const undo = async ({ jobId, input, isGivenUp }: StepContext<I>) => {
    const before = await hold.heldBy(db, input)
    if (!before) return await forgetLogin(db, jobId)
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = await hold.lockHeld(tx, input)
      if (!held) return
      await tx
        .update(instances)
        .set({ status, lastUpdated: clock.now() })
        .where(eq(instances.id, held.instance.id))
      await forgetLogin(tx, jobId)
      await tellClient(tx, jobId, { ...words, back: isGivenUp ? LEFT : words.back })
      await publishTokenChange(tx, events, held.instance.ownerId)
      await audit.record(tx, undefined, {
        action: isGivenUp ? actions.left : actions.undone,
        target: `instance:${held.instance.id}`,
        details: claim.details(input),
      })
    })
  }

  return { name: 'claim', run, undo }
}

const LEFT = 'The operator takes care of it.'

/** The failure as its client reads it: why, and what became of the server. */
async function tellClient(tx: Db, jobId: string, { failed, back }: Claim<HoldInput>['words']) {
  const [row] = await tx.select({ failure: jobs.failure }).from(jobs).where(eq(jobs.id, jobId))
  if (!row?.failure) return
  const publicMessage = `${reasonOf(row.failure) ?? failed} ${back}`
  await tx
    .update(jobs)
    .set({ failure: { ...row.failure, publicMessage } })
    .where(eq(jobs.id, jobId))
}

/** Undefined where its client cannot be told more than that it failed. */
function reasonOf(failure: JobFailure): string | undefined {
  const text = publicTextOf(failure)
  return text === COULD_NOT || text === KEEPS_TRYING ? undefined : text
}

/** Unknown if the cluster cannot tell: the next poll does. */
export async function stateOf(
  { db, hypervisors }: JobDeps,
  { instance }: Pick<Held, 'instance'>,
): Promise<string> {
  try {
    const { hypervisor } = hypervisors.of(instance.clusterId)
    return (await hypervisor.vm(await vmOf(db, instance))).state
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return 'unknown'
  }
}
