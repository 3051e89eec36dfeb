import type { Pace } from './task-runner.ts'

/**
 * The flock that each action takes on a VM, and the cluster-wide locks of storages. Unlike the
 * `lock` key of the configuration they live in memory and end with the process.
 */
export type VmLocks = ReturnType<typeof vmLocks>

/** `failure` precedes the error: what was to be done. */
type StorageLock = { id: string; shared: boolean; waitMs: number; failure: string }

type LockDeps = { seconds: (n: number) => number }

export function vmLocks(deps: LockDeps) {
  const held = new Map<string, number>()

  async function hold<T>(
    work: Pace,
    lock: { name: string; limit: number; waitMs: number; timeout: string; waiting?: string },
    act: () => Promise<T>,
  ): Promise<T> {
    const step = Math.max(2, Math.min(lock.waitMs / 20, deps.seconds(1)))
    for (let waited = 0; (held.get(lock.name) ?? 0) >= lock.limit; waited += step) {
      if (waited >= lock.waitMs) throw new Error(lock.timeout)
      if (waited === 0) work.log(lock.waiting ?? 'trying to acquire lock...')
      await work.wait(step)
    }
    held.set(lock.name, (held.get(lock.name) ?? 0) + 1)
    try {
      return await act()
    } finally {
      const left = (held.get(lock.name) ?? 1) - 1
      if (left > 0) held.set(lock.name, left)
      else held.delete(lock.name)
    }
  }

  return {
    /** Waits 10 s for the VM's lock file, then fails as PVE does. */
    vm<T>(work: Pace, vmid: number, act: () => Promise<T>): Promise<T> {
      const timeout = `can't lock file '/var/lock/qemu-server/lock-${vmid}.conf' - got timeout`
      return hold(work, { name: `vm-${vmid}`, limit: 1, waitMs: deps.seconds(10), timeout }, act)
    },
    /** One backup job runs on a node at a time; the next waits `minutes`. */
    vzdump<T>(work: Pace, node: string, minutes: number, act: () => Promise<T>): Promise<T> {
      const lock = {
        name: `vzdump-${node}`,
        limit: 1,
        waitMs: deps.seconds(minutes * 60),
        timeout: "can't acquire lock '/var/run/vzdump.lock' - got timeout",
        waiting: 'INFO: trying to get global lock - waiting...',
      }
      return hold(work, lock, act)
    },
    /** Two concurrent copies succeed; the third times out waiting for the lock. */
    storage<T>(work: Pace, lock: StorageLock, act: () => Promise<T>) {
      const { id, waitMs, failure } = lock
      const timeout = lock.shared
        ? `${failure}cfs-lock 'storage-${id}' error: got lock request timeout`
        : `${failure}can't lock file '/var/lock/pve-manager/pve-storage-${id}' - got timeout`
      return hold(work, { name: `storage-${id}`, limit: 2, waitMs, timeout }, act)
    },
  }
}
