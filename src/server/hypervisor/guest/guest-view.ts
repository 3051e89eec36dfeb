import type { RrdRow } from '#proxmox/calls/rrd.ts'
import type { TaskEntry } from '#proxmox/calls/task-answers.ts'
import type { GuestInterface, VmConfig } from '#proxmox/calls/vm-answers.ts'
import { readNetDevice } from '#proxmox/wire/property-string.ts'
import type { MetricsPoint } from '../port/hypervisor.ts'
import type { TaskView } from '../port/views.ts'

/** Addresses on the VM's own NICs: a guest also has loopback, bridges and tunnels of its own. */
export function addressesOf(config: VmConfig, interfaces: readonly GuestInterface[]): string[] {
  const macs = new Set(
    Object.entries(config.values)
      .filter(([key]) => /^net\d+$/.test(key))
      .map(([, value]) => readNetDevice(value)?.mac),
  )
  return interfaces
    .filter((found) => found.mac !== undefined && macs.has(found.mac))
    .flatMap((found) => found.addresses.map(({ address }) => address))
    .filter((address) => !/^(fe80:|169\.254\.|127\.|::1$)/i.test(address))
}

/** A node reports memused and memtotal, a VM mem and maxmem. */
export function metricsPoint({ time, values }: RrdRow): MetricsPoint {
  return {
    at: new Date(time * 1000),
    cpuUsage: values.cpu,
    memoryUsed: values.mem ?? values.memused,
    memoryTotal: values.maxmem ?? values.memtotal,
    netIn: values.netin,
    netOut: values.netout,
    diskRead: values.diskread,
    diskWrite: values.diskwrite,
  }
}

export function taskView(entry: TaskEntry): TaskView {
  const { upid, type, user, starttime, endtime, status } = entry
  const isRunning = endtime === undefined
  const isDone = status === 'OK' || /^WARNINGS: \d+$/.test(status ?? '')
  return {
    id: upid,
    type,
    by: user,
    startedAt: new Date(starttime * 1000),
    endedAt: isRunning ? undefined : new Date(endtime * 1000),
    outcome: isRunning ? 'running' : isDone ? 'done' : 'failed',
    message: isRunning || isDone ? undefined : status,
  }
}
