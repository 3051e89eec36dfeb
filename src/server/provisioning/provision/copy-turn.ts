import { AppError } from '#shared/errors.ts'
import { withLease } from '../../db/lease.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { ProvisionState } from './provision-state.ts'

const LEASE_TRIES = 20
const LEASE_MS = 500

/**
 * Copies to one storage are made one after another (P7); without a named storage, those of one
 * cluster.
 */
export const inTurn = <T>(
  deps: Pick<JobDeps, 'db' | 'log'>,
  { cluster, settings }: Pick<ProvisionState, 'cluster' | 'settings'>,
  jobId: string,
  copy: () => Promise<T>,
): Promise<T> => {
  const lease = {
    key: `clone:${cluster.id}:${settings.storage ?? ''}`,
    holder: jobId,
    busy: 'Another server is being copied to the same storage.',
  }
  return retryWhileLocked(() => withLease(deps, lease, copy))
}

/** The previous copy usually ends soon; if it does not, the job gives up its slot and waits. */
async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'LOCKED'
      if (!isBusy || tries >= LEASE_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    }
  }
}
