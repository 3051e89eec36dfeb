import { backupCalls } from './backups/backups.ts'
import { accessCalls } from './calls/access.ts'
import { clusterCalls } from './calls/cluster.ts'
import { nodeCalls, storageCalls } from './calls/nodes.ts'
import { qemuCalls } from './calls/qemu.ts'
import { POLL_MS } from './calls/task-wait.ts'
import { taskCalls } from './calls/tasks.ts'
import { versionCalls } from './calls/version.ts'
import { vncCalls } from './calls/vnc.ts'
import { findCalls } from './find.ts'
import { firewallCalls } from './firewall/firewall.ts'
import { caller, type Timeouts } from './transport/call.ts'
import { type Clock, systemClock } from './transport/clock.ts'
import { type Address, hostList } from './transport/hosts.ts'
import type { Auth } from './transport/session.ts'
import type { Pin } from './transport/tls.ts'

export type ProxmoxOptions = {
  /** Entry points of one cluster, the preferred one first. */
  hosts: readonly [Address, ...Address[]]
  auth: Auth
  /**
   * The certificate of hosts without a pin of their own; without any pin the system's CAs decide.
   */
  pin?: Pin
  timeouts?: Partial<Timeouts>
  /** Pauses between two polls of a task; the last one repeats. */
  pollMs?: readonly number[]
  clock?: Clock
}

const TIMEOUTS: Timeouts = { connectMs: 5_000, requestMs: 10_000, slowMs: 32_000, loginMs: 10_000 }

/** A client of one cluster. It connects when first used; `close` ends everything it has open. */
export function proxmoxClient(options: ProxmoxOptions) {
  const clock = options.clock ?? systemClock
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const closing = new AbortController()
  const { connectMs } = timeouts
  const hosts = hostList(options.hosts, { pin: options.pin, connectMs, clock })
  const call = caller({ auth: options.auth, hosts, timeouts, clock, closed: closing.signal })

  const version = versionCalls(call, clock)
  const cluster = clusterCalls(call)
  const qemu = qemuCalls(call, { version, slowMs: timeouts.slowMs })

  return {
    version,
    access: accessCalls(call),
    cluster,
    nodes: nodeCalls(call),
    qemu,
    backups: backupCalls(call, timeouts),
    firewall: firewallCalls(call),
    storage: storageCalls(call, timeouts),
    tasks: taskCalls(call, { clock, pollMs: options.pollMs ?? POLL_MS }),
    vnc: vncCalls(call, { connectMs: timeouts.requestMs }),
    find: findCalls({ cluster, qemu }),
    /** Which host failed last and why: otherwise failover would hide a changed certificate. */
    hosts: hosts.states,
    /** Replaces the entry points beside the first. */
    learnHosts: hosts.update,
    async close() {
      closing.abort()
      await hosts.close()
    },
  }
}

export type ProxmoxClient = ReturnType<typeof proxmoxClient>
