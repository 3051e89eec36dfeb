import { setTimeout as delay } from 'node:timers/promises'
import type { SimOptions } from '#pve-sim/options.ts'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import type { ClusterConnection } from '../connect/connection.ts'
import type { HypervisorDeps } from '../proxmox/proxmox-hypervisor.ts'

/** Waits are real but short; the simulator's tasks take a few milliseconds. */
export const impatient: HypervisorDeps = {
  clock: {
    now: Date.now,
    sleep: async (ms, signal) => delay(Math.min(ms, 5), undefined, { signal }),
  },
  pollMs: [5],
  agentPauseMs: 20,
  timeouts: { requestMs: 2000, slowMs: 2000, connectMs: 2000, loginMs: 2000 },
}

export const startCluster = (options: SimOptions = {}): Promise<Sim> =>
  startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0, ...options })

export function connectionTo(
  sim: Sim,
  credentials = { username: sim.apiToken.id, secret: sim.apiToken.secret },
): ClusterConnection {
  const certificate = { fingerprint: sim.fingerprint, pem: sim.certPem }
  return { host: sim.host, port: sim.port, certificate, ...credentials }
}

/** For expect.poll: short intervals, and a timeout that tolerates a busy machine. */
export const soon = { timeout: 20_000, interval: 10 }
