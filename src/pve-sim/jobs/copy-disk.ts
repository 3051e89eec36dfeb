import type { Context } from '../context/context.ts'
import { humanSize } from '../formats/property-string.ts'
import type { Storage } from '../state/types.ts'
import type { Pace } from '../tasks/task-runner.ts'
import type { Drive } from '../vm/disks.ts'

type Copy = {
  drive: Drive
  /** Where the copy is made. */
  storage: Storage
  isRunning: boolean
  /** Precedes the error if the storage is busy. */
  failure: string
}

/** Progress in steps of a few percent, as qemu-img and drive-mirror print it. */
async function progress(sim: Context, work: Pace, { drive, isRunning }: Copy): Promise<void> {
  const steps = 10
  const total = Math.max(drive.size, 1024 ** 2)
  if (isRunning) work.log(`drive mirror is starting for drive-${drive.key}`)
  for (let step = 0; step <= steps; step++) {
    if (step > 0) await work.wait((sim.taskMs * 4) / steps)
    const done = Math.round((total * step) / steps)
    const percent = ((step * 100) / steps).toFixed(2)
    const transferred = `transferred ${humanSize(done)} of ${humanSize(total)} (${percent}%)`
    work.log(isRunning ? `drive-${drive.key}: ${transferred}` : transferred)
  }
  if (isRunning) work.log(`all 'mirror' jobs are ready`)
}

/** The time a full copy takes; storages copy two disks at once. */
export function copyDisk(sim: Context, work: Pace, copy: Copy): Promise<void> {
  const { id, shared } = copy.storage
  const lock = { id, shared, waitMs: sim.taskMs, failure: copy.failure }
  return sim.locks.storage(work, lock, () => progress(sim, work, copy))
}
