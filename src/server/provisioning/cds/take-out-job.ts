import { eq } from 'drizzle-orm'
import { serverCds } from '../../db/schema/stock.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep, stateOf } from '../hold/claim-step.ts'
import { release } from '../hold/hold-server.ts'
import { mustBeOff, shutDown } from '../lifecycle/switch-vm.ts'
import { holdAnyway as hold, requireCd, type TakeOutContext, TakeOutInput } from './cd-state.ts'

/**
 * Takes the CD out. The end of a rescue starts the server from its own disk; any other CD goes while
 * the server runs, because it boots from its disk at the next start anyway.
 */
export function takeOutJob(deps: JobDeps) {
  const remember = rememberStep(deps)
  return defineJob({
    kind: 'take-cd-out',
    input: TakeOutInput,
    title: ({ kind, name }) =>
      kind === 'rescue' ? `End of the rescue of ${name}` : `Take the CD out of ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      claimStep<TakeOutInput>(deps, {
        hold,
        actions: { undone: 'instance.cd-out-undone', left: 'instance.cd-out-left' },
        details: () => ({}),
        words: {
          failed: 'The CD could not be taken out.',
          back: 'Try again, or ask the operator.',
        },
      }),
      remember,
      stopStep(deps, remember),
      ejectStep(deps),
      startStep(deps, remember),
      commitStep(deps),
    ],
  })
}

export type TakeOutJob = ReturnType<typeof takeOutJob>

type Remembered = { isOn: boolean }
type RememberStep = Step<TakeOutInput, Remembered>

function rememberStep(deps: JobDeps): RememberStep {
  const run = async ({ input }: TakeOutContext): Promise<Remembered> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    return { isOn: (await hypervisor.vm(vm)).state !== 'stopped' }
  }
  return { name: 'remember', run }
}

function stopStep(deps: JobDeps, remember: RememberStep): Step<TakeOutInput> {
  const run = async ({ input }: TakeOutContext) => {
    if (input.kind === 'rescue') await shutDown(await hold.targetOf(deps, input))
  }
  const undo = (context: TakeOutContext) =>
    hold.undoOn(deps, context, async (target) => {
      const isOn = context.output(remember)?.isOn && !mustBeOff(target)
      if (isOn) await target.hypervisor.power(target.vm, 'start')
    })
  return { name: 'stop', run, undo }
}

function ejectStep(deps: JobDeps): Step<TakeOutInput> {
  const run = async ({ input }: TakeOutContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const cd = await requireCd(deps.db, input.instanceId)
    await hypervisor.ejectCd(vm, cd, cd.volume)
  }
  return { name: 'eject', run }
}

/** A server that was off stays off, and so does one that ended or was suspended meanwhile. */
function startStep(deps: JobDeps, remember: RememberStep): Step<TakeOutInput> {
  const run = async ({ input, output }: TakeOutContext) => {
    const target = await hold.targetOf(deps, input)
    const isWanted = input.kind === 'rescue' && output(remember)?.isOn && !mustBeOff(target)
    if (isWanted) await target.hypervisor.power(target.vm, 'start')
  }
  return { name: 'start', run }
}

function commitStep(deps: JobDeps): Step<TakeOutInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input }: TakeOutContext) => {
    const before = await hold.heldBy(db, input)
    if (!before) return
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      await tx.delete(serverCds).where(eq(serverCds.instanceId, input.instanceId))
      await release(tx, held, status, clock.now())
      await publishTokenChange(tx, events, held.instance.ownerId)
      const action = input.kind === 'rescue' ? 'instance.rescue-ended' : 'instance.cd-taken-out'
      await audit.record(tx, undefined, { action, target: `instance:${held.instance.id}` })
    })
  }
  return { name: 'commit', run }
}
