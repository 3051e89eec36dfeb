import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
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
import { applyPresent, type Present, readPresent } from '../snapshots/present-config.ts'
import { requireBackup } from './backup-rows.ts'
import { type BackupContext, type BackupInput, hold } from './backup-state.ts'
import { freeSource, sourceOf, sourceState } from './restore-source.ts'

type Remembered = Present & { sizeGb: number; isOn: boolean; storage?: string }
export type RememberStep = Step<BackupInput, Remembered>

/** Stores what holds now, before anything is changed. A server that lost its disk has none to grow. */
export function rememberStep(deps: JobDeps): RememberStep {
  const run = async ({ input }: BackupContext): Promise<Remembered> => {
    const target = await hold.targetOf(deps, input)
    const { hypervisor, vm } = target
    const { state } = await hypervisor.vm(vm)
    const present = await readPresent(deps, target)
    const { hasDisk } = await hypervisor.takeBackEmptied(vm, present.sold)
    const isOn = state !== 'stopped' || !hasDisk
    if (!hasDisk) return { ...present, sizeGb: 0, isOn }
    const { sizeGb, volume } = await hypervisor.bootDisk(vm)
    const [storage] = volume.split(':')
    return { ...present, sizeGb, isOn, ...(storage && { storage }) }
  }
  return { name: 'remember', run }
}

function required(remembered: Remembered | undefined): Remembered {
  if (remembered) return remembered
  throw new AppError('INVALID_STATE', 'It is not known what the server was like.')
}

export function stopStep(deps: JobDeps, remember: RememberStep): Step<BackupInput> {
  const run = async ({ input }: BackupContext) => {
    await shutDown(await hold.targetOf(deps, input))
  }
  /**
   * Whatever is on the disk by now, the server starts with its present address, firewall, rate and login.
   * One that a broken restore left without a disk is made ours again, and stays off.
   */
  const undo = (context: BackupContext) =>
    hold.undoOn(deps, context, async (target) => {
      const remembered = context.output(remember)
      if (!remembered) return
      const { hypervisor, vm, instance, token } = target
      const { hasDisk } = await hypervisor.takeBackEmptied(vm, remembered.sold)
      if (!hasDisk) {
        await deps.db.delete(snapshots).where(eq(snapshots.instanceId, instance.id))
        return
      }
      const { username } = token
      await applyPresent(deps, target, remembered, { username, loginMark: '' })
      await checkFirewall(deps, instance.id)
      await keepRate(deps, instance.id)
      if (mustBeOff(target)) await switchOff(target)
      else if (remembered.isOn) await hypervisor.power(vm, 'start')
    })
  return { name: 'stop', run, undo }
}

/** Nothing is stopped for the backup of another server whose disk is larger than what was sold. */
export function fitStep(deps: JobDeps, remember: RememberStep): Step<BackupInput> {
  const run = async ({ input, output }: BackupContext) => {
    const target = await hold.targetOf(deps, input)
    const of = await sourceOf(deps.db, input, target)
    if (!of) return
    const { storage, volume, key } = await requireBackup(deps.db, input.backupId)
    const { hypervisor, vm, token } = target
    const { sizeGb } = await hypervisor.archivedDisk(vm, { storage, volume, key }, of)
    const most = Math.max(sizeFromName(token.name).diskGb, required(output(remember)).sizeGb)
    if (sizeGb <= most) return
    const message = `The disk in this backup has ${Math.ceil(sizeGb)} GB, that of the server ${Math.floor(most)} GB. Choose a larger server.`
    throw new AppError('INVALID_STATE', message, { publicMessage: message })
  }
  return { name: 'fit', run }
}

/** The old disks are deleted first: from here on there is only the archive. */
export function restoreStep(deps: JobDeps, remember: RememberStep): Step<BackupInput> {
  const run = async ({ input, output }: BackupContext) => {
    const target = await hold.targetOf(deps, input)
    const { hypervisor, vm } = target
    const { storage, volume, key } = await requireBackup(deps.db, input.backupId)
    const { sold, storage: own } = required(output(remember))
    const source = await sourceOf(deps.db, input, target)
    const of = source && { ...source, storage: own }
    await hypervisor.restoreBackup(vm, {
      archive: { storage, volume, key },
      sold,
      ...(of && { of }),
    })
  }
  return { name: 'restore', run }
}

export function configureStep(deps: JobDeps, remember: RememberStep): Step<BackupInput> {
  const run = async ({ input, output }: BackupContext) => {
    const target = await hold.targetOf(deps, input)
    const row = await requireBackup(deps.db, input.backupId)
    // With the disk of another server its own login is set in any case.
    const system = input.source ? { username: row.username, loginMark: '' } : row
    await applyPresent(deps, target, required(output(remember)), system)
  }
  return { name: 'configure', run }
}

type Started = { isOn: boolean }

/** A server that was off stays off. */
export function startStep(deps: JobDeps, remember: RememberStep): Step<BackupInput, Started> {
  const run = async ({ input, output }: BackupContext): Promise<Started> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { isOn } = required(output(remember))
    if (isOn) await hypervisor.power(vm, 'start')
    return { isOn }
  }
  const undo = (context: BackupContext) =>
    hold.undoOn(deps, context, ({ hypervisor, vm }) => hypervisor.power(vm, 'stop'))
  return { name: 'start', run, undo }
}

/** From here on it is the server of that time: its system, with the present login. */
export function commitStep(deps: JobDeps, start: Step<BackupInput, Started>): Step<BackupInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ input, output }: BackupContext) => {
    // Committed already, by a process that died before it could say so.
    if (!(await hold.heldBy(db, input))) return
    const status = await sourceState(deps, input)
    await db.transaction(async (tx) => {
      await freeSource(tx, deps, { input, status })
      const held = hold.requireWanted(await hold.lockHeld(tx, input))
      const { osType, templateId, username } = await requireBackup(tx, input.backupId)
      const { instance, token } = held
      await tx.update(tokens).set({ osType, templateId, username }).where(eq(tokens.id, token.id))
      await tx.update(instances).set({ templateId }).where(eq(instances.id, instance.id))
      // They went with the disks they were of.
      await tx.delete(snapshots).where(eq(snapshots.instanceId, instance.id))
      await lookAgain(tx, instance.id)
      await release(tx, held, output(start)?.isOn ? 'running' : 'stopped', clock.now())
      await publishTokenChange(tx, events, instance.ownerId)
      await audit.record(tx, undefined, {
        action: 'instance.restored',
        target: `instance:${instance.id}`,
        details: { osType },
      })
    })
  }
  return { name: 'commit', run }
}
