import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/clock.ts'
import { isProxmoxError } from '#proxmox/errors.ts'
import { hasMarker } from '#proxmox/find.ts'
import type { VmConfig, VmRef } from '#proxmox/vm-answers.ts'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/durations.ts'
import { dnsName } from './guest-setup.ts'
import type { ClonedVm, CloneOrder, TaskOptions } from './hypervisor.ts'
import { follow } from './task-follow.ts'
import { uuidOf, type VmAccess } from './vm-access.ts'

type Found =
  | { kind: 'absent' }
  | { kind: 'foreign' }
  | { kind: 'growing' }
  | { kind: 'ours'; place: VmRef; config: VmConfig }

/** PVE carries the request out within 30 s or not at all; then a clone that began is to be seen. */
const LOOKS_AFTER_LOSS = 4
const LOOK_MS = 2_000
const GROW_MS = 30 * MINUTE_MS

/**
 * Makes one VM per order. Before and after anything doubtful it looks for the VM with the order's
 * id: the marker in its description says whether it is ours. Sending the same order again is safe
 * only because the id is fixed, and PVE refuses an id that is in use.
 */
export function cloneActs(client: ProxmoxClient, access: VmAccess, clock: Clock) {
  const configAt = async (place: VmRef): Promise<VmConfig | undefined> => {
    try {
      return await client.qemu.config(place)
    } catch (error) {
      if (isProxmoxError(error, 'not-found')) return undefined
      throw error
    }
  }

  /** On the template's node until it is done, then on its target: the list may lag behind both. */
  const look = async (order: CloneOrder, templateNode: string): Promise<Found> => {
    const listed = await client.find.locate(order.vmId)
    const nodes = new Set([order.targetNode ?? templateNode, templateNode, listed?.node])
    for (const node of nodes) {
      if (node === undefined) continue
      const place = { node, vmid: order.vmId }
      const config = await configAt(place)
      if (config === undefined) continue
      // The description is written last: a clone under way cannot say yet whose it is.
      if (config.values.lock === 'clone') return { kind: 'growing' }
      return hasMarker(config, order.marker) ? { kind: 'ours', place, config } : { kind: 'foreign' }
    }
    return { kind: 'absent' }
  }

  const lookUntilGrown = async (order: CloneOrder, node: string): Promise<Found> => {
    const ends = clock.now() + GROW_MS
    for (;;) {
      const found = await look(order, node)
      if (found.kind !== 'growing') return found
      if (clock.now() >= ends) throw new AppError('LOCKED', 'The VM is still being cloned.')
      await clock.sleep(LOOK_MS)
    }
  }

  const lookAfterLoss = async (order: CloneOrder, node: string): Promise<Found> => {
    for (let round = 1; ; round += 1) {
      const found = await lookUntilGrown(order, node)
      if (found.kind !== 'absent' || round === LOOKS_AFTER_LOSS) return found
      await clock.sleep(LOOK_MS)
    }
  }

  const send = async (order: CloneOrder, template: VmRef, options: TaskOptions): Promise<Found> => {
    try {
      await follow(client, await client.qemu.clone(template, cloneOptions(order)), options)
      return await lookUntilGrown(order, template.node)
    } catch (error) {
      // Lost, or refused because the id is in use (perhaps by our own first try): look.
      if (isProxmoxError(error, 'vmid-taken')) return lookUntilGrown(order, template.node)
      if (!isProxmoxError(error, 'unknown-outcome')) throw error
      const found = await lookAfterLoss(order, template.node)
      if (found.kind === 'absent') throw error
      return found
    }
  }

  return {
    clone: (order: CloneOrder, options: TaskOptions = {}): Promise<ClonedVm> =>
      access.at(order.template, async (template) => {
        let found = await lookUntilGrown(order, template.node)
        if (found.kind === 'absent') found = await send(order, template, options)
        if (found.kind === 'ours') {
          const { place, config } = found
          return { vmId: order.vmId, node: place.node, uuid: uuidOf(config) }
        }
        if (found.kind === 'foreign') {
          throw new AppError('CONFLICT', 'The VM id is already in use on the cluster.')
        }
        throw new AppError(
          'CLUSTER_UNAVAILABLE',
          'The clone ended, but its VM cannot be found yet.',
        )
      }),
  }
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
