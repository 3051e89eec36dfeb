import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { hasMarker } from '#proxmox/find.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError, ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { dnsName } from '../guest/guest-setup.ts'
import type { CdActs } from '../port/cds.ts'
import type { ClonedVm, CloneOrder, TaskOptions } from '../port/hypervisor.ts'
import { type ClonesUnderWay, isHiddenVm } from '../vm/clones-under-way.ts'
import { follow } from '../vm/task-follow.ts'
import { uuidOf, type VmAccess } from '../vm/vm-access.ts'

type Found =
  | { kind: 'absent' }
  /** Locked by a clone that no longer runs: its worker died. */
  | { kind: 'broken' }
  | { kind: 'foreign'; isHidden: boolean }
  | { kind: 'growing' }
  | { kind: 'ours'; place: VmRef; config: VmConfig }

/** PVE carries the request out within 30 s or not at all; by then a started clone is visible. */
const LOOKS_AFTER_LOSS = 4
const LOOK_MS = 2_000
const GROW_MS = 30 * MINUTE_MS
/** One request per pause, and the pauses grow: copying a large disk takes many minutes. */
const GROW_PAUSES_MS = [1_000, 2_000, 3_000, 5_000, 10_000]

const isSettled = (found: Found): boolean =>
  found.kind === 'ours' || (found.kind === 'foreign' && !found.isHidden)

type CloneDeps = { access: VmAccess; clock: Clock; underWay: ClonesUnderWay } & Pick<
  CdActs,
  'archivesOnCluster'
>

/**
 * Makes one VM per order. Before and after anything uncertain it looks for the VM with the order's
 * id: the marker in its description shows whether it is ours. Sending the same order again is safe
 * only because the id is fixed and PVE refuses an id that is in use.
 */
export function cloneActs(
  client: ProxmoxClient,
  { access, clock, underWay, archivesOnCluster }: CloneDeps,
) {
  const configAt = async (place: VmRef): Promise<VmConfig | 'absent' | 'hidden'> => {
    try {
      return await client.qemu.config(place)
    } catch (error) {
      if (isProxmoxError(error, 'not-found')) return 'absent'
      if (isHiddenVm(error, place.vmid)) return 'hidden'
      throw error
    }
  }

  const isGrowing = (order: CloneOrder, node: string) => underWay.onNode(node, order.template.vmId)

  /** The id is in use but hidden from us: our clone in progress, or another owner's VM. */
  const judgeHidden = async (order: CloneOrder, templateNode: string): Promise<Found> => {
    if (await client.cluster.isFree(order.vmId)) return { kind: 'absent' }
    if (await isGrowing(order, templateNode)) return { kind: 'growing' }
    // It may have joined the pool between the two requests.
    const place = { node: order.targetNode ?? templateNode, vmid: order.vmId }
    const config = await configAt(place)
    if (typeof config === 'object') return judge(order, place, config)
    if (await underWay.mayStillMake()) return { kind: 'foreign', isHidden: true }
    throw hidden(order.vmId)
  }

  const judge = (order: CloneOrder, place: VmRef, config: VmConfig): Found => {
    if (config.values.lock === 'clone') return { kind: 'broken' }
    return hasMarker(config, order.marker)
      ? { kind: 'ours', place, config }
      : { kind: 'foreign', isHidden: false }
  }

  /**
   * The clone is on the template's node until it is done, then on its target: the list may lag
   * behind both.
   */
  const look = async (order: CloneOrder, templateNode: string): Promise<Found> => {
    const listed = await client.find.locate(order.vmId)
    const nodes = new Set([order.targetNode ?? templateNode, templateNode, listed?.node])
    for (const node of nodes) {
      if (node === undefined) continue
      const place = { node, vmid: order.vmId }
      const config = await configAt(place)
      if (config === 'hidden') return judgeHidden(order, templateNode)
      if (config === 'absent') continue
      if (config.values.lock !== 'clone') return judge(order, place, config)
      // The description is written last: a clone in progress does not show its owner yet.
      if (await isGrowing(order, templateNode)) return { kind: 'growing' }
      const again = await configAt(place)
      return typeof again === 'object' ? judge(order, place, again) : { kind: 'absent' }
    }
    return { kind: 'absent' }
  }

  const untilGrown = async (order: CloneOrder, node: string): Promise<void> => {
    const ends = clock.now() + GROW_MS
    for (let round = 0; await isGrowing(order, node); round += 1) {
      if (clock.now() >= ends) throw new AppError('LOCKED', 'The VM is still being cloned.')
      await clock.sleep(GROW_PAUSES_MS[round] ?? GROW_PAUSES_MS.at(-1) ?? LOOK_MS)
    }
  }

  const lookUntilGrown = async (order: CloneOrder, node: string): Promise<Found> => {
    for (;;) {
      const found = await look(order, node)
      if (found.kind !== 'growing') return found
      await untilGrown(order, node)
    }
  }

  /**
   * Without its task, nothing shows whether a locked or hidden clone still runs: it gets time to
   * end.
   */
  const lookAfterLoss = async (order: CloneOrder, node: string): Promise<Found> => {
    for (let round = 1; ; round += 1) {
      const found = await lookUntilGrown(order, node)
      if (isSettled(found) || round === LOOKS_AFTER_LOSS) return found
      await clock.sleep(LOOK_MS)
    }
  }

  /** The task has ended: a VM that is not ours now will never be. */
  const lookAtRemains = async (order: CloneOrder, node: string): Promise<Found> => {
    const found = await lookUntilGrown(order, node)
    return found.kind === 'ours' ? found : { kind: 'broken' }
  }

  const send = async (order: CloneOrder, template: VmRef, options: TaskOptions): Promise<Found> => {
    try {
      await follow(client, await client.qemu.clone(template, cloneOptions(order)), options)
      const found = await lookUntilGrown(order, template.node)
      // The cluster has just made it: only a revoked permission can hide it.
      if (found.kind === 'foreign' && found.isHidden) throw hidden(order.vmId)
      return found
    } catch (error) {
      // Lost, or refused because the id is in use (perhaps by our own first attempt): look.
      if (isProxmoxError(error, 'vmid-taken')) return lookUntilGrown(order, template.node)
      if (!isProxmoxError(error) || error.failure.kind !== 'unknown-outcome') throw error
      if (error.failure.hasEnded) return lookAtRemains(order, template.node)
      const found = await lookAfterLoss(order, template.node)
      if (found.kind === 'absent') throw error
      return found
    }
  }

  /** They would be shown as the new VM's own, and restored into it (facts-2 §0.2). */
  const requireNoArchives = async (vmId: number): Promise<void> => {
    if ((await archivesOnCluster(vmId)).length === 0) return
    throw new AppError('CONFLICT', `There are archives of a former VM ${vmId}.`)
  }

  return {
    clone: (order: CloneOrder, options: TaskOptions = {}): Promise<ClonedVm> =>
      access.at(order.template, async (template) => {
        let found = await lookUntilGrown(order, template.node)
        if (found.kind === 'absent') {
          await requireNoArchives(order.vmId)
          found = await send(order, template, options)
        }
        if (found.kind === 'ours') {
          const { place, config } = found
          return { vmId: order.vmId, node: place.node, uuid: uuidOf(config) }
        }
        throw failureOf(found.kind, order.vmId)
      }),
  }
}

function failureOf(kind: Exclude<Found['kind'], 'ours'>, vmId: number): AppError {
  if (kind === 'foreign') {
    return new AppError('CONFLICT', 'The VM id is already in use on the cluster.')
  }
  if (kind === 'broken') {
    const message = `The copying of the template broke off on the cluster, and may have left VM ${vmId} locked. If it is there, remove it on its node: qm unlock ${vmId}; qm destroy ${vmId}`
    return new AppError('CLUSTER_REFUSED', message)
  }
  return new AppError('CLUSTER_UNAVAILABLE', 'The clone ended, but its VM cannot be found yet.')
}

function hidden(vmId: number): ProxmoxError {
  const failure = { kind: 'forbidden', path: `/vms/${vmId}`, privileges: ['VM.Audit'] } as const
  return new ProxmoxError(failure, `VM ${vmId} exists, but we may not see it`)
}

const cloneOptions = (order: CloneOrder) => ({
  newid: order.vmId,
  name: dnsName(order.name),
  description: order.marker,
  full: order.isFull,
  pool: order.pool,
  storage: order.isFull ? order.storage : undefined,
  target: order.targetNode,
})
