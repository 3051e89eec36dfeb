import type { Internet } from './context/internet.ts'
import type { Version } from './state/types.ts'

export type SimOptions = {
  host?: string
  /** 0 means any free port. */
  port?: number
  /** 'demo', or a number for a cluster of `nodes` and `vms`. */
  seed?: 'demo' | number
  nodes?: number
  vms?: number
  version?: Version
  stateFile?: string
  /** Base duration of a task; 1000 is about real time, tests use 5 to 20. */
  taskMs?: number
  /** The delay of a 401; PVE: 3000. */
  authDelayMs?: number
  /** The greatest age of /cluster/resources; PVE: 10000. */
  lagMs?: number
  /** How long a VNC port waits for its viewer; PVE: 10000. */
  consoleWaitMs?: number
  /** How many VMs at once run as real QEMU processes, where QEMU is installed. Absent: none. */
  qemu?: number
  /** How many of those may be real Linux guests: VMs with an address of 127.77.0.0/24. */
  linux?: number
  now?: () => number
  password?: string
  standalone?: boolean
  /** What its nodes download from; absent: the real one. */
  internet?: Internet
  /** Serves /sim/faults, for a standalone simulator. */
  control?: boolean
}
