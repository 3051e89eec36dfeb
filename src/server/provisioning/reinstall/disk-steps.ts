import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { firstUserOf } from '#shared/rules/instance/system-of-template.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { nodes, templates } from '../../db/schema/infrastructure.ts'
import { instanceById, vmOf } from '../../inventory/vm/instance-row.ts'
import { describeFailure, NotYetError, type Step } from '../../jobs/job-definition.ts'
import { randomPassword } from '../../lib/random.ts'
import { setupOf } from '../../orders/server-setup.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { sealPassword, type TokenRow } from '../../tokens/token-rows.ts'
import { type NewLogin, REMEMBER } from '../hold/stored-login.ts'
import { isMissing, mustBeOff, shutDown, switchOff } from '../lifecycle/switch-vm.ts'
import type { Started } from '../proof/firmware-step.ts'
import { inTurn } from '../provision/copy-turn.ts'
import { loadProvisionState } from '../provision/provision-state.ts'
import { snapshotsOf } from '../snapshots/snapshot-rows.ts'
import {
  type ReinstallContext,
  type ReinstallInput,
  type Remembered,
  targetOf,
  undoOn,
} from './reinstall-state.ts'

/** Stores what the later steps and their undo need, before anything is changed. */
export function rememberStep(deps: JobDeps): Step<ReinstallInput, Remembered> {
  const run = async ({ input }: ReinstallContext): Promise<Remembered> => {
    const { hypervisor, vm, token, instance } = await targetOf(deps, input)
    const { volume, spare, sizeGb, system } = await hypervisor.bootDisk(vm)
    const login = await newLogin(deps, input, { token, ownerId: instance.ownerId })
    return { volume, spare, sizeGb, system, login }
  }
  return { name: REMEMBER, run }
}

/** The old login stays in the token until the new system answers. */
async function newLogin(
  deps: JobDeps,
  { osType, sshKeyIds }: ReinstallInput,
  { token, ownerId }: { token: TokenRow; ownerId: number | null },
): Promise<NewLogin> {
  const { db, keyring, random } = deps
  const sold = { osType, isReady: false }
  const setup = await setupOf(db, ownerId ?? 0, { sshKeyIds }, sold, deps)
  const sshKeys = [...(setup?.sshKeys ?? [])]
  // An operator may have chosen another user for the system it was sold with.
  const username = osType === token.osType ? token.username : firstUserOf(osType)
  const password =
    sshKeys.length > 0 ? null : sealPassword(keyring, token.tokenId, randomPassword(random))
  return { username, sshKeys, password }
}

export function stopStep(deps: JobDeps): Step<ReinstallInput> {
  return {
    name: 'stop',
    run: async ({ input }: ReinstallContext) => {
      await shutDown(await targetOf(deps, input))
    },
    /** Every other step is undone by now: the old system starts again. */
    undo: (context: ReinstallContext) =>
      undoOn(deps, context, async (target) => {
        if (mustBeOff(target)) await switchOff(target)
        else await target.hypervisor.power(target.vm, 'start')
      }),
  }
}

export type Replaced = { volume: string }

export function replaceStep(
  deps: JobDeps,
  remember: Step<ReinstallInput, Remembered>,
): Step<ReinstallInput, Replaced> {
  const { db, log } = deps
  const run = async (context: ReinstallContext): Promise<Replaced> => {
    const { input, jobId, output } = context
    const { hypervisor, vm } = await targetOf(deps, input)
    const { volume: old, system } = required(output(remember))
    const template = await templateOf(db, input.templateId)
    const onProgress = (fraction: number) => {
      context.progress(fraction).catch((error: unknown) => log.debug({ err: error }, 'progress'))
    }
    const state = await loadProvisionState(db, input.tokenId)
    const taken = await snapshotsOf(db, input.instanceId)
    const snapshots = taken.map(({ vmSnapshot }) => vmSnapshot)
    const order = { template, old, snapshots, keepsSystem: system === undefined }
    return await inTurn(deps, state, jobId, () => hypervisor.replaceDisk(vm, order, { onProgress }))
  }
  const undo = (context: ReinstallContext) =>
    undoOn(deps, context, async ({ hypervisor, vm }) => {
      const { volume: old, spare, system } = required(context.output(remember))
      await hypervisor.power(vm, 'stop')
      await hypervisor.restoreDisk(vm, old, { spare, system })
    })
  return { name: 'replace', run, undo }
}

export function required(remembered: Remembered | undefined): Remembered {
  if (remembered) return remembered
  throw new AppError('INVALID_STATE', 'It is not known which disk the server had.')
}

async function templateOf(db: Db, id: number) {
  const [found] = await db
    .select({ vmId: templates.templateId, node: nodes.name, missingSince: templates.missingSince })
    .from(templates)
    .innerJoin(nodes, eq(nodes.id, templates.nodeId))
    .where(eq(templates.id, id))
  if (found?.missingSince === null) return { vmId: found.vmId, node: found.node }
  throw new AppError('NOT_FOUND', 'The template no longer exists.')
}

/**
 * Removes the old system, once the new one is the client's, unless a snapshot needs it. A disk that
 * cannot be removed is no reason to call the reinstallation failed: it goes with the VM. A backup may
 * lock the VM for hours, so it is tried for half a day.
 */
export function dropStep(
  deps: JobDeps,
  before: {
    remember: Step<ReinstallInput, Remembered>
    replace: Step<ReinstallInput, Replaced>
    start: Step<ReinstallInput, Started>
  },
): Step<ReinstallInput> {
  const { db, hypervisors, clock, log } = deps
  const run = async ({ input, output }: ReinstallContext) => {
    const instance = await instanceById(db, input.instanceId)
    const replaced = output(before.replace)
    if (!instance || !replaced) return
    const { spare } = required(output(before.remember))
    const startedAt = Date.parse(output(before.start)?.at ?? '')
    const hasTime = () => clock.now().getTime() - startedAt < HALF_A_DAY_MS
    try {
      const { hypervisor } = hypervisors.of(instance.clusterId)
      const vm = await vmOf(db, instance)
      await hypervisor.dropReplacedDisks(vm, { keep: replaced.volume, spare })
    } catch (error) {
      if (isMissing(error)) return
      if (describeFailure(error).retry === 'later' && hasTime()) throw notYet(error)
      log.warn({ err: error, vmId: instance.vmId }, 'the disk of the old system was left')
    }
  }
  return { name: 'drop', run }
}

const notYet = (cause: unknown) =>
  Object.assign(new NotYetError(STILL_THERE, { hasOwnEnd: true }), { cause })

const HALF_A_DAY_MS = DAY_MS / 2
const STILL_THERE = 'The new system runs. The disk of the old one is not removed yet.'
