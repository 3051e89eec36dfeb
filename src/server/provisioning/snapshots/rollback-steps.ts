import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { lostWith } from '#shared/rules/instance/snapshots.ts'
import { snapshots } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { checkFirewall } from '../../firewalls/server-firewall.ts'
import { lookAgain } from '../../host-keys/host-key-rows.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { keepRate } from '../../traffic/server-rate.ts'
import { release } from '../hold/hold-server.ts'
import { mustBeOff, shutDown, switchOff } from '../lifecycle/switch-vm.ts'
import { applyPresent, type Present, readPresent } from './present-config.ts'
import { snapshotsOf } from './snapshot-rows.ts'
import {
  dropDisk,
  hold,
  requireSnapshot,
  type SnapshotContext,
  type SnapshotInput,
} from './snapshot-state.ts'

type Remembered = Present & { volume: string; sizeGb: number; isOn: boolean }
type RememberStep = Step<SnapshotInput, Remembered>

/** Stores what holds now, before anything is changed. */
export function rememberStep(deps: JobDeps): RememberStep {
  const run = async ({ input }: SnapshotContext): Promise<Remembered> => {
    const target = await hold.targetOf(deps, input)
    const { hypervisor, vm } = target
    const { state } = await hypervisor.vm(vm)
    const { volume, sizeGb } = await hypervisor.bootDisk(vm)
    return { ...(await readPresent(deps, target)), volume, sizeGb, isOn: state !== 'stopped' }
  }
  return { name: 'remember', run }
}

function required(remembered: Remembered | undefined): Remembered {
  if (remembered) return remembered
  throw new AppError('INVALID_STATE', 'It is not known what the server was like.')
}

export function stopStep(deps: JobDeps, remember: RememberStep): Step<SnapshotInput> {
  const run = async ({ input }: SnapshotContext) => {
    await shutDown(await hold.targetOf(deps, input))
  }
  /**
   * Whatever is on the disk by now, the server starts with its present address, firewall, rate and
   * login. The login is set again: the disk may hold the present system or the snapshot's, with
   * another user.
   */
  const undo = (context: SnapshotContext) =>
    hold.undoOn(deps, context, async (target) => {
      const remembered = context.output(remember)
      if (!remembered) return
      const { username } = target.token
      await applyPresent(deps, target, remembered, { username, loginMark: '' })
      await checkFirewall(deps, target.instance.id)
      await keepRate(deps, target.instance.id)
      if (mustBeOff(target)) await switchOff(target)
      else if (remembered.isOn) await target.hypervisor.power(target.vm, 'start')
    })
  return { name: 'stop', run, undo }
}

/** Deletes the newer ones of ours where the storage goes back to the newest only. */
export function clearStep(deps: JobDeps): Step<SnapshotInput> {
  const { db } = deps
  const run = async ({ input }: SnapshotContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const row = await requireSnapshot(db, input.snapshotId)
    const { onlyNewest } = await hypervisor.snapshots(vm)
    const lost = lostWith(row, await snapshotsOf(db, input.instanceId), onlyNewest)
    for (const newer of lost.toReversed()) {
      await hypervisor.deleteSnapshot(vm, newer.vmSnapshot)
      await db.delete(snapshots).where(eq(snapshots.id, newer.id))
    }
  }
  return { name: 'clear', run }
}

export function rollBackStep(deps: JobDeps): Step<SnapshotInput> {
  const run = async ({ input }: SnapshotContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    await hypervisor.rollBackTo(vm, input.vmSnapshot)
  }
  return { name: 'rollback', run }
}

export function configureStep(deps: JobDeps, remember: RememberStep): Step<SnapshotInput> {
  const run = async ({ input, output }: SnapshotContext) => {
    const target = await hold.targetOf(deps, input)
    const remembered = required(output(remember))
    await applyPresent(deps, target, remembered, await requireSnapshot(deps.db, input.snapshotId))
    // The disk it had is needed no more, unless a newer snapshot is of it.
    await dropDisk(deps, target, remembered.volume)
  }
  return { name: 'configure', run }
}

type Started = { isOn: boolean }

/** A server that was off stays off. */
export function startStep(deps: JobDeps, remember: RememberStep): Step<SnapshotInput, Started> {
  const run = async ({ input, output }: SnapshotContext): Promise<Started> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { isOn } = required(output(remember))
    if (isOn) await hypervisor.power(vm, 'start')
    return { isOn }
  }
  const undo = (context: SnapshotContext) =>
    hold.undoOn(deps, context, ({ hypervisor, vm }) => hypervisor.power(vm, 'stop'))
  return { name: 'start', run, undo }
}

/** From here on it is the server of that time: its system, with the present login. */
export function commitStep(
  deps: JobDeps,
  before: { remember: RememberStep; start: Step<SnapshotInput, Started> },
): Step<SnapshotInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input, output }: SnapshotContext) => {
    // Committed already, by a process that died before it could say so.
    if (!(await hold.heldBy(db, input))) return
    await db.transaction(async (tx) => {
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      const row = await requireSnapshot(tx, input.snapshotId)
      const { osType, templateId, username } = row
      const { instance, token } = held
      await tx.update(tokens).set({ osType, templateId, username }).where(eq(tokens.id, token.id))
      await tx.update(instances).set({ templateId }).where(eq(instances.id, instance.id))
      await lookAgain(tx, instance.id)
      await release(tx, held, output(before.start)?.isOn ? 'running' : 'stopped', clock.now())
      await publishTokenChange(tx, events, instance.ownerId)
      await audit.record(tx, undefined, {
        action: 'instance.rolled-back',
        target: `instance:${instance.id}`,
        details: { osType },
      })
    })
  }
  return { name: 'commit', run }
}
