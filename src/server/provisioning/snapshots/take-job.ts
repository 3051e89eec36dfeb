import { defineJob, type Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { claimStep, stateOf } from '../hold/claim-step.ts'
import { release } from '../hold/hold-server.ts'
import { forgetUntaken, markTaken } from './snapshot-rows.ts'
import {
  hold,
  requireSnapshot,
  type SnapshotContext,
  SnapshotInput,
  undoneBy,
} from './snapshot-state.ts'

type Taken = { volume: string; at: string }

/** A snapshot of a server's disks, while it runs. One that could not be taken leaves nothing. */
export function takeJob(deps: JobDeps) {
  const take = takeStep(deps)
  const claim = claimStep<SnapshotInput>(deps, {
    hold,
    actions: { undone: 'instance.snapshot-undone', left: 'instance.snapshot-left' },
    details: () => ({}),
    words: { failed: 'The snapshot could not be taken.', back: 'The server is as it was.' },
  })
  return defineJob({
    kind: 'snapshot',
    input: SnapshotInput,
    title: ({ name }) => `Snapshot of ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      undoneBy(claim, ({ input }) => forgetUntaken(deps.db, input.snapshotId)),
      take,
      commitStep(deps, take),
    ],
  })
}

export type TakeJob = ReturnType<typeof takeJob>

function takeStep(deps: JobDeps): Step<SnapshotInput, Taken> {
  const run = async ({ input }: SnapshotContext): Promise<Taken> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { name: description } = await requireSnapshot(deps.db, input.snapshotId)
    const { volume } = await hypervisor.takeSnapshot(vm, { name: input.vmSnapshot, description })
    return { volume, at: deps.clock.now().toISOString() }
  }
  const undo = (context: SnapshotContext) =>
    hold.undoOn(deps, context, ({ hypervisor, vm }) =>
      hypervisor.deleteSnapshot(vm, context.input.vmSnapshot),
    )
  return { name: 'take', run, undo }
}

function commitStep(deps: JobDeps, take: Step<SnapshotInput, Taken>): Step<SnapshotInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input, output }: SnapshotContext) => {
    const before = await hold.heldBy(db, input)
    const taken = output(take)
    if (!before || !taken) return
    const status = await stateOf(deps, before)
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      await markTaken(tx, input.snapshotId, { volume: taken.volume, now: new Date(taken.at) })
      await release(tx, held, status, clock.now())
      await publishTokenChange(tx, events, held.instance.ownerId)
      const target = `instance:${held.instance.id}`
      await audit.record(tx, undefined, { action: 'instance.snapshot-taken', target })
    })
  }
  return { name: 'commit', run }
}
