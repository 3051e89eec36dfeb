import type { Node, Vm } from '../state/types.ts'
import { bootDiskSize } from '../vm/disks.ts'
import { cpuCount, memoryMiB } from '../vm/vm-config.ts'
import { noise, seedOf } from './noise.ts'
import { load, rates } from './stats.ts'
import { averageRates } from './traffic.ts'

export type Timeframe = 'hour' | 'day' | 'week' | 'month' | 'year' | 'decade'

type Archive = { step: number; points: number }

const archive = (step: number, points = 70): Archive => ({ step, points })

/** Until 8 each archive has seventy rows; since 9 they are finer (facts-2 §13). */
const OLD: Record<Timeframe, Archive> = {
  hour: archive(60),
  day: archive(1800),
  week: archive(10_800),
  month: archive(43_200),
  year: archive(604_800),
  decade: archive(604_800 * 10),
}
const NEW: Record<Timeframe, Archive> = {
  hour: archive(60, 60),
  day: archive(60, 1440),
  week: archive(1800, 336),
  month: archive(1800, 1440),
  year: archive(21_600, 1440),
  decade: archive(604_800, 570),
}

const MIB = 1024 ** 2

/** Rows of one timeframe, oldest first; a row without data contains only `time`. */
function series(
  { frame, now, hostMetrics }: Span,
  row: (seconds: number, step: number) => Record<string, number> | undefined,
) {
  const { step, points } = (hostMetrics ? NEW : OLD)[frame]
  const last = Math.floor(now / 1000 / step) * step
  return Array.from({ length: points }, (_, i) => {
    const time = last - (points - 1 - i) * step
    return { time, ...row(time, step) }
  })
}

/** Graphs have gaps: a restarted pvestatd skips a minute, which a longer row does not show. */
const isHole = (seed: number, seconds: number, step: number) =>
  step <= 60 && noise(seed, Math.floor(seconds / 60) + 77) < 0.02

const STILL = { diskread: 0, diskwrite: 0 }

type Span = { frame: Timeframe; now: number; hostMetrics: boolean }

export function vmSeries(vm: Vm, span: Span) {
  const maxmem = memoryMiB(vm.config) * MIB
  return series(span, (seconds, step) => {
    if (seconds * 1000 < vm.createdAt || isHole(vm.vmid, seconds, step)) return undefined
    // A stopped VM counts as running until half an hour ago; while it is down its counters stand
    // still.
    const down = vm.qmp === 'stopped' && span.now / 1000 - seconds < 1800
    const busy = down ? 0 : load(vm.vmid, seconds)
    const mem = down ? 0 : maxmem * (0.25 + 0.5 * noise(vm.vmid, 5) + 0.1 * busy)
    const { diskread, diskwrite } = down ? STILL : rates(vm.vmid, seconds)
    const host = { memhost: mem * 1.04, pressurecpusome: busy * 3, pressureiosome: busy * 0.4 }
    return {
      cpu: busy,
      maxcpu: cpuCount(vm.config),
      mem,
      maxmem,
      disk: 0,
      maxdisk: bootDiskSize(vm.config),
      diskread,
      diskwrite,
      ...averageRates(vm, { end: seconds, step }, span.now),
      ...(span.hostMetrics ? host : {}),
    }
  })
}

/** The percentage of time in which something waited, as the kernel reports it. */
const pressure = (busy: number) => ({
  pressurecpusome: busy * 3,
  pressureiosome: busy * 0.4,
  pressureiofull: busy * 0.3,
  pressurememorysome: 0,
  pressurememoryfull: 0,
})

export function nodeSeries(node: Node, span: Span) {
  const seed = seedOf(node.name)
  return series(span, (seconds, step) => {
    if (isHole(seed, seconds, step)) return undefined
    const busy = load(seed, seconds)
    const { netin, netout } = rates(seed, seconds)
    const used = node.memory * (0.35 + 0.3 * busy)
    return {
      cpu: busy,
      iowait: busy * 0.05,
      loadavg: busy * node.cpus,
      maxcpu: node.cpus,
      memtotal: node.memory,
      memused: used,
      roottotal: node.rootfs,
      rootused: node.rootfs * (0.12 + 0.2 * noise(seed, 6)),
      swaptotal: 8 * 1024 ** 3,
      swapused: 0,
      netin: netin * 8,
      netout: netout * 8,
      ...(span.hostMetrics
        ? { memavailable: node.memory - used, arcsize: 0, ...pressure(busy) }
        : {}),
    }
  })
}
