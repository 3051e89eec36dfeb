import type { Consoles } from '../console/consoles.ts'
import type { FaultBoard } from '../faults/fault-board.ts'
import type { VmProcesses } from '../qemu/vm-processes.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import type { TlsMaterial } from '../state/types.ts'
import type { TaskRunner } from '../tasks/task-runner.ts'
import type { VmLocks } from '../tasks/vm-locks.ts'
import type { Internet } from './internet.ts'
import type { Resources } from './resources.ts'
import type { timers } from './timers.ts'
import type { Workers } from './workers.ts'

/** Everything a route or a job may touch. */
export type Context = {
  state: ClusterState
  now: () => number
  /** Base duration of a task. */
  taskMs: number
  authDelayMs: number
  lagMs: number
  /** Converts seconds of a real cluster (lock waits, guest timeouts) to ms of this one. */
  seconds: (n: number) => number
  tls: () => TlsMaterial
  resources: Resources
  tasks: TaskRunner
  locks: VmLocks
  faults: FaultBoard
  consoles: Consoles
  /** Real processes behind VMs, where QEMU is installed and wanted. */
  processes: VmProcesses
  /** Cancelled when the simulator is closed. */
  timers: ReturnType<typeof timers>
  workers: Workers
  internet: Internet
  /** Writes the state file, if there is one. */
  save: () => void
  /** The node whose pveproxy answers. */
  entryNode: () => string
}
