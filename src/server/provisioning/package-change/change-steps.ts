import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { lockOrder, moveOrder } from '../../orders/orders.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { mustBeOff, shutDown, switchOff } from '../lifecycle/switch-vm.ts'
import { type ChangeContext, type ChangeInput, hold } from './change-state.ts'

const FAILED = 'The package could not be changed. What you paid for it is your credit again.'

/** The money was held together with the request. Back it goes also if the server is gone by then. */
export function payBack({ db, clock, events }: JobDeps) {
  return ({ jobId, input }: ChangeContext) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, input.orderId)
      if (order.status !== 'provisioning' || order.jobId !== jobId) return
      const values = { failure: FAILED }
      await moveOrder(tx, order, { to: 'cancelled', now: clock.now(), ofJob: jobId, values })
      await publishTokenChange(tx, events, order.userId)
    })
}

/** What the server is like before anything is changed. */
type Remembered = { cores: number; memory: number; balloon: number; isOn: boolean }
export type RememberStep = Step<ChangeInput, Remembered>

export function rememberStep(deps: JobDeps): RememberStep {
  const run = async ({ input }: ChangeContext): Promise<Remembered> => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const { cores, memory, balloon } = await hypervisor.config(vm)
    const { state } = await hypervisor.vm(vm)
    return { cores, memory, balloon, isOn: state !== 'stopped' }
  }
  return { name: 'remember', run }
}

function required(remembered: Remembered | undefined): Remembered {
  if (remembered) return remembered
  throw new AppError('INVALID_STATE', 'It is not known what the server was like.')
}

const restarts = ({ input, output }: ChangeContext, remember: RememberStep): boolean =>
  input.restart && (output(remember)?.isOn ?? false)

/** Other cores and memory are taken only by a full stop and start. */
export function stopStep(deps: JobDeps, remember: RememberStep): Step<ChangeInput> {
  const run = async (context: ChangeContext) => {
    if (restarts(context, remember)) await shutDown(await hold.targetOf(deps, context.input))
  }
  const undo = (context: ChangeContext) =>
    hold.undoOn(deps, context, async (target) => {
      if (mustBeOff(target)) await switchOff(target)
      else if (restarts(context, remember)) await target.hypervisor.power(target.vm, 'start')
    })
  return { name: 'stop', run, undo }
}

export function sizeStep(deps: JobDeps, remember: RememberStep): Step<ChangeInput> {
  const run = async ({ input, output }: ChangeContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    const before = required(output(remember))
    const { cpu, ramGb } = sizeFromName(input.serverName)
    const memory = ramGb * 1024
    // The cluster refuses a balloon above the memory; one that is all of it follows it.
    const balloon = before.balloon === before.memory ? memory : Math.min(before.balloon, memory)
    await hypervisor.setConfig(vm, { cores: cpu, memory, balloon })
  }
  const undo = (context: ChangeContext) =>
    hold.undoOn(deps, context, async ({ hypervisor, vm }) => {
      const before = context.output(remember)
      if (!before) return
      const { cores, memory, balloon } = before
      await hypervisor.setConfig(vm, { cores, memory, balloon })
    })
  return { name: 'size', run, undo }
}

/** A disk that has grown stays so: it cannot shrink. */
export function diskStep(deps: JobDeps): Step<ChangeInput> {
  const run = async ({ input }: ChangeContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, input)
    await hypervisor.resize(vm, sizeFromName(input.serverName).diskGb)
  }
  return { name: 'disk', run }
}

export function startStep(deps: JobDeps, remember: RememberStep): Step<ChangeInput> {
  const run = async (context: ChangeContext) => {
    const { hypervisor, vm } = await hold.targetOf(deps, context.input)
    if (restarts(context, remember)) await hypervisor.power(vm, 'start')
  }
  const undo = (context: ChangeContext) =>
    hold.undoOn(deps, context, async (target) => {
      if (restarts(context, remember)) await target.hypervisor.power(target.vm, 'stop')
    })
  return { name: 'start', run, undo }
}

/**
 * Size, price and money, all or nothing. From here on its rate, traffic, snapshots and backups are
 * those of the package: they are read from its order.
 */
export function commitStep(deps: JobDeps, remember: RememberStep): Step<ChangeInput> {
  const { db, clock, events, audit } = deps
  const run = async ({ jobId, input, output }: ChangeContext) => {
    // Committed already, by a process that died before it could say so.
    if (!(await hold.heldBy(db, input))) return
    await db.transaction(async (tx) => {
      const order = await lockOrder(tx, input.orderId)
      const { token, instance } = hold.requireWanted(await hold.lockHeld(tx, input))
      const now = clock.now()
      const values = { nextBillingAt: token.expiresAt, assignedVmId: token.proxmoxVmId }
      await moveOrder(tx, order, { to: 'active', now, ofJob: jobId, values })
      const { serverName: name, priceCents: monthlyPriceCents, planName } = input
      // A price at Stripe is that of the former package.
      const sold = { name, monthlyPriceCents, billingPlanId: null }
      await tx.update(tokens).set(sold).where(eq(tokens.id, token.id))
      await tx.delete(nextPackages).where(eq(nextPackages.tokenId, token.id))
      const status = required(output(remember)).isOn ? 'running' : 'stopped'
      await tx
        .update(instances)
        .set({ status, powerFailure: null, lastUpdated: now })
        .where(eq(instances.id, instance.id))
      await publishTokenChange(tx, events, instance.ownerId)
      await audit.record(tx, undefined, {
        action: 'instance.package-changed',
        target: `instance:${instance.id}`,
        details: { package: planName },
      })
    })
  }
  return { name: 'commit', run }
}
