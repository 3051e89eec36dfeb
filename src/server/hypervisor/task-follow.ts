import type { ProxmoxClient } from '#proxmox/client.ts'
import type { TaskOptions } from './hypervisor.ts'

/** Tells the caller the task's id, then waits for its end. No task means it is done already. */
export async function follow(
  client: ProxmoxClient,
  task: string | undefined,
  { onTask, onProgress, signal }: TaskOptions = {},
): Promise<void> {
  if (task === undefined) return
  await onTask?.(task)
  await client.tasks.wait(task, {
    ...(signal ? { signal } : {}),
    ...(onProgress
      ? { onProgress: ({ percent }) => percent !== undefined && onProgress(percent / 100) }
      : {}),
  })
}
