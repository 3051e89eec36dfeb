import { countsSince } from '../state/net-runs.ts'
import type { Vm } from '../state/types.ts'
import { noise } from './noise.ts'

/** Bytes per second, or bytes: to the guest and from it. */
type Net = { netin: number; netout: number }

/** How long the cards of a VM counted without a restart, in milliseconds of the clock. */
type NetRun = { from: number; to: number }

const DAY_WAVE = (2 * Math.PI) / 86_400
const HOUR_WAVE = (2 * Math.PI) / 3000
/** pvestatd reads the counters so often, in seconds. */
const ROUND = 10

const MEAN = { netin: 180_000, netout: 500_000 }

/** The mean rate of a VM; a test may give it a steady one. */
const meanOf = ({ vmid, guest }: Vm): Net =>
  guest.traffic ?? {
    netin: MEAN.netin * (0.2 + noise(vmid, 11)),
    netout: MEAN.netout * (0.2 + noise(vmid, 12)),
  }

/** What share of its mean rate has passed up to this second: a daily wave and a faster one. */
function waves({ vmid, guest }: Vm, seconds: number): number {
  if (guest.traffic) return seconds
  const day = Math.cos(seconds * DAY_WAVE + noise(vmid, 1) * 6) / DAY_WAVE
  const hour = Math.cos(seconds * HOUR_WAVE + noise(vmid, 2) * 6) / HOUR_WAVE
  return seconds - 0.5 * day - 0.2 * hour
}

/** What would pass between two moments while it runs. */
function passing(vm: Vm, from: number, to: number): Net {
  const { netin, netout } = meanOf(vm)
  const share = waves(vm, to / 1000) - waves(vm, from / 1000)
  return { netin: Math.floor(netin * share), netout: Math.floor(netout * share) }
}

const isOn = (vm: Vm) => vm.qmp !== 'stopped'

/** The counters of its cards now. */
export const netCounters = (vm: Vm, now: number): Net =>
  isOn(vm) ? passing(vm, countsSince(vm), Math.max(countsSince(vm), now)) : ZERO

const ZERO: Net = { netin: 0, netout: 0 }

/** Half an hour ago a VM of the seed that is off was still on, so that it has a history. */
const SEED_OFF_MS = 1_800_000

function runsOf(vm: Vm, now: number): NetRun[] {
  const current = isOn(vm) ? [{ from: countsSince(vm), to: now }] : []
  if (vm.netRuns) return [...vm.netRuns, ...current]
  if (isOn(vm)) return [{ from: vm.createdAt, to: vm.startedAt }, ...current]
  return [{ from: vm.createdAt, to: now - SEED_OFF_MS }]
}

/** What has really passed between two moments, whatever any counter said. */
export function bytesPassed(vm: Vm, span: NetRun, now: number): Net {
  const sum = { netin: 0, netout: 0 }
  for (const run of runsOf(vm, now)) {
    const from = Math.max(span.from, run.from)
    const to = Math.min(span.to, run.to)
    if (to <= from) continue
    const { netin, netout } = passing(vm, from, to)
    sum.netin += netin
    sum.netout += netout
  }
  return sum
}

/** What its counters were at a moment: zero while it was off. */
function countersAt(vm: Vm, at: number, runs: NetRun[]): Net {
  const run = runs.findLast(({ from, to }) => from <= at && at < to)
  return run ? passing(vm, run.from, at) : ZERO
}

/**
 * The average rates that RRD has of the seconds before `end`. It derives them from one reading of
 * the counters to the next: where a counter has fallen nothing is known, and the rest stands for all.
 */
export function averageRates(
  vm: Vm,
  { end, step }: { end: number; step: number },
  now: number,
): Net | undefined {
  const from = (end - step) * 1000
  if (step > 60) {
    const { netin, netout } = bytesPassed(vm, { from, to: end * 1000 }, now)
    return { netin: netin / step, netout: netout / step }
  }
  const runs = runsOf(vm, now + 1)
  const sum = { netin: 0, netout: 0 }
  let known = 0
  for (let before = end - step; before < end; before += ROUND) {
    const first = countersAt(vm, before * 1000, runs)
    const next = countersAt(vm, (before + ROUND) * 1000, runs)
    if (next.netin < first.netin || next.netout < first.netout) continue
    sum.netin += next.netin - first.netin
    sum.netout += next.netout - first.netout
    known += ROUND
  }
  return known === 0 ? undefined : { netin: sum.netin / known, netout: sum.netout / known }
}
