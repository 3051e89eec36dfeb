import type { Vm } from './types.ts'

const MOST = 500

/** QEMU counts the packets: with a new process, by a start or a migration, it counts from 0. */
export const countsSince = (vm: Vm): number => Math.max(vm.startedAt, vm.migratedAt ?? 0)

/** Its process ends, or goes on as another one elsewhere. */
export function endNetRun(vm: Vm, now: number): void {
  if (vm.qmp === 'stopped') return
  vm.netRuns = [...(vm.netRuns ?? []), { from: countsSince(vm), to: now }].slice(-MOST)
}
