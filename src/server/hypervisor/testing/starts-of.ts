import type { Sim } from '#pve-sim/sim.ts'

/** What a VM was started with, each time; a start with an old address would be a fault of its own. */
export function startsOf<T>(sim: Pick<Sim, 'requests'>, vmId: number, look: () => T): T[] {
  const starts: T[] = []
  const { push } = sim.requests
  sim.requests.push = (...entries) => {
    for (const { method, path } of entries) {
      const isStart = method === 'POST' && path.includes(`/qemu/${vmId}/status/start`)
      if (isStart) starts.push(look())
    }
    return push.apply(sim.requests, entries)
  }
  return starts
}
