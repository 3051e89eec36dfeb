import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError, ProxmoxError } from '#proxmox/wire/errors.ts'
import type { TaskOptions } from '../port/hypervisor.ts'

/**
 * Passes the task's id to the caller, then waits for its end. No task means that it is already
 * done. PVE accepts start, stop, shutdown and resize for a VM that is not on the node, and only the
 * task reports it (facts-3 §4): nothing was done then, as with a refused call.
 */
export async function follow(
  client: ProxmoxClient,
  task: string | undefined,
  { onTask, onProgress, signal }: TaskOptions = {},
): Promise<void> {
  if (task === undefined) return
  await onTask?.(task)
  try {
    await client.tasks.wait(task, {
      ...(signal ? { signal } : {}),
      ...(onProgress
        ? { onProgress: ({ percent }) => percent !== undefined && onProgress(percent / 100) }
        : {}),
    })
  } catch (error) {
    if (!isProxmoxError(error) || error.failure.kind !== 'task-failed') throw error
    const { because } = error.failure
    throw because.kind === 'not-found'
      ? new ProxmoxError(because, error.message, { cause: error })
      : error
  }
}
