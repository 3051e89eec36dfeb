import type { Version } from './state/types.ts'

export type SimOptions = {
  host?: string
  /** 0 is any free port. */
  port?: number
  /** 'demo', or a number for a cluster of `nodes` and `vms`. */
  seed?: 'demo' | number
  nodes?: number
  vms?: number
  version?: Version
  stateFile?: string
  /** Base duration of a task; 1000 is about real time, tests want 5 to 20. */
  taskMs?: number
  /** How long a 401 waits; PVE: 3000. */
  authDelayMs?: number
  /** Age up to which /cluster/resources may be; PVE: 10000. */
  lagMs?: number
  /** How long a VNC port waits for its viewer; PVE: 10000. */
  consoleWaitMs?: number
  /** How many VMs at once run as real QEMU processes, where it is installed. Absent: none. */
  qemu?: number
  now?: () => number
  password?: string
  standalone?: boolean
  /** Serves /sim/faults, for a simulator that runs alone. */
  control?: boolean
}
