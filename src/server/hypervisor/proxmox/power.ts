import type { VmRef, VmStatus } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { type Failure, isProxmoxError, type RefusalReason } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import type { LiveVm, PowerAct, TaskOptions, VmAddress } from '../port/hypervisor.ts'
import { follow } from '../vm/task-follow.ts'
import type { VmAccess } from '../vm/vm-access.ts'
import { vmState } from './vm-state.ts'

/** The intended effect of each action, and the refusals that mean it is already reached. */
const ACTS: Record<PowerAct, { isDone(vm: VmStatus): boolean; benign: RefusalReason[] }> = {
  start: { isDone: (vm) => vm.status === 'running', benign: ['already-running'] },
  stop: { isDone: (vm) => vm.status === 'stopped', benign: ['not-running'] },
  shutdown: { isDone: (vm) => vm.status === 'stopped', benign: ['not-running'] },
  restart: { isDone: (vm) => vm.status === 'running', benign: [] },
}

/** A finished task is not always a finished effect: HA and reboot act afterwards (facts §6). */
const EFFECT_MS = 90_000
const LOOK_MS = 1_000
/**
 * How long a guest may take to shut down. PVE's default is ten minutes if the agent answers, and
 * meanwhile nothing else can be done to the VM (facts-3 §5).
 */
const GUEST_SECONDS = 90
/** How long after a stop PVE may still start a VM whose restart was interrupted. */
const RESTART_LOOKS = 20

export function powerActs(client: ProxmoxClient, access: VmAccess, clock: Clock) {
  const send: Record<PowerAct, (vm: VmRef) => Promise<string>> = {
    start: (vm) => client.qemu.start(vm),
    stop: (vm) => client.qemu.stop(vm, { overruleShutdown: true }),
    shutdown: (vm) => client.qemu.shutdown(vm, { timeoutSeconds: GUEST_SECONDS }),
    restart: (vm) => client.qemu.reboot(vm, { timeoutSeconds: GUEST_SECONDS }),
  }

  /** Where the VM is now: HA may start it on another node. */
  const look = (vm: VmAddress) =>
    access.at(vm, async (place) => ({ place, status: await client.qemu.status(place) }))

  const settle = async (vm: VmAddress, act: PowerAct): Promise<LiveVm> => {
    const ends = clock.now() + EFFECT_MS
    for (;;) {
      const { place, status } = await look(vm)
      if (ACTS[act].isDone(status)) return liveVm(place, status)
      if (clock.now() >= ends) {
        throw new AppError(
          'CLUSTER_UNAVAILABLE',
          'The cluster accepted, but nothing has happened yet.',
        )
      }
      await clock.sleep(LOOK_MS)
    }
  }

  const carryOut = async (vm: VmAddress, act: PowerAct, options?: TaskOptions): Promise<LiveVm> => {
    try {
      await access.own(vm, async (place) => follow(client, await send[act](place), options))
    } catch (error) {
      if (!isProxmoxError(error) || !isBenign(error.failure, act)) throw error
    }
    return settle(vm, act)
  }

  /**
   * An interrupted restart withdraws its request, unless its worker had to be killed. Then PVE
   * takes our stop for the restart and starts the VM again, once (facts-3 §16).
   */
  const keepDown = async (vm: VmAddress, options?: TaskOptions): Promise<LiveVm> => {
    for (let looks = 1; ; looks += 1) {
      await clock.sleep(LOOK_MS)
      const { place, status } = await look(vm)
      if (status.status === 'running') return carryOut(vm, 'stop', options)
      if (looks === RESTART_LOOKS) return liveVm(place, status)
    }
  }

  const interrupt = (vm: VmAddress) => access.own(vm, (place) => cutShort(client, place))

  return {
    async vm(vm: VmAddress): Promise<LiveVm> {
      const { place, status } = await look(vm)
      return liveVm(place, status)
    },
    async power(vm: VmAddress, act: PowerAct, options?: TaskOptions): Promise<LiveVm> {
      if (act !== 'stop') return carryOut(vm, act, options)
      const cut = await interrupt(vm)
      try {
        const stopped = await carryOut(vm, act, options)
        return cut === 'qmreboot' ? await keepDown(vm, options) : stopped
      } catch (error) {
        // What came between our look and our stop has the lock.
        const late = isLocked(error) ? await interrupt(vm) : undefined
        if (late === undefined) throw error
        const stopped = await carryOut(vm, act, options)
        return late === 'qmreboot' ? keepDown(vm, options) : stopped
      }
    },
  }
}

function isBenign(failure: Failure, act: PowerAct): boolean {
  const reason = failure.kind === 'task-failed' ? failure.because : failure
  return reason.kind === 'refused' && ACTS[act].benign.includes(reason.reason)
}

function isLocked(error: unknown): boolean {
  if (!isProxmoxError(error)) return false
  const { failure } = error
  return (failure.kind === 'task-failed' ? failure.because : failure).kind === 'locked'
}

/**
 * A shutdown or restart that waits for its guest locks the VM. PVE overrules only a shutdown, since
 * 8.2; the others are cancelled before a stop. Returns what was cancelled.
 */
async function cutShort(
  client: ProxmoxClient,
  vm: VmRef,
): Promise<'qmreboot' | 'qmshutdown' | undefined> {
  const cancel = async (type: 'qmshutdown' | 'qmreboot') => {
    const filter = { vmid: vm.vmid, source: 'active', type } as const
    const waiting = await client.tasks.list(vm.node, filter)
    for (const { upid } of waiting) await client.tasks.cancel(upid)
    return waiting.length > 0 ? type : undefined
  }
  const isOverruled = await client.version.supports('overrule-shutdown')
  const shutdown = isOverruled ? undefined : await cancel('qmshutdown')
  return (await cancel('qmreboot')) ?? shutdown
}

function liveVm(place: VmRef, status: VmStatus): LiveVm {
  return {
    vmId: place.vmid,
    node: place.node,
    state: vmState(status),
    lock: status.lock,
    uptime: status.uptime ?? 0,
    cpuUsage: status.cpu,
    memoryUsed: status.mem,
    memoryTotal: status.maxmem,
  }
}
