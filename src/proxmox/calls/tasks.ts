import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import type { Clock } from '../transport/clock.ts'
import { nothing } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { ProxmoxError } from '../wire/errors.ts'
import { parseUpid } from '../wire/upid.ts'
import { TaskEntry, TaskLog, TaskStatus } from './task-answers.ts'
import { type WaitOptions, waitForTask } from './task-wait.ts'

export type TaskFilter = {
  vmid?: number
  source?: 'active' | 'all' | 'archive'
  type?: string
  /** Seconds since the epoch, by the cluster's clock. */
  since?: number
  limit?: number
}

export function taskCalls(call: Caller, deps: { clock: Clock; pollMs: readonly number[] }) {
  const status = (upid: string, options?: CallOptions): Promise<TaskStatus> =>
    call.get(path`/nodes/${nodeOf(upid)}/tasks/${upid}/status`, TaskStatus, options)

  /** Lines after `start`; for an empty log PVE answers a single "no content". */
  const log = async (
    upid: string,
    options: CallOptions & { start?: number; limit?: number } = {},
  ): Promise<TaskLog> => {
    const { start, limit = 500, ...rest } = options
    const at = path`/nodes/${nodeOf(upid)}/tasks/${upid}/log`
    const lines = await call.get(at, TaskLog, { ...rest, parameters: { start, limit } })
    return lines.length === 1 && lines[0]?.t === 'no content' ? [] : lines
  }

  return {
    status,
    log,
    /** The node's own list: `/cluster/tasks` hides a token's own tasks from it (facts §2). */
    list: (node: string, filter: TaskFilter = {}, options?: CallOptions): Promise<TaskEntry[]> => {
      const { type: typefilter, ...rest } = filter
      const parameters = { source: 'all', ...rest, typefilter }
      return call.get(path`/nodes/${node}/tasks`, z.array(TaskEntry), { ...options, parameters })
    },
    cancel: (upid: string, options?: CallOptions): Promise<undefined> =>
      call.send('DELETE', path`/nodes/${nodeOf(upid)}/tasks/${upid}`, nothing, options),
    wait: (upid: string, options?: WaitOptions) =>
      waitForTask(upid, { ...deps, status, log, closed: call.closed }, options),
  }
}

function nodeOf(upid: string): string {
  const parsed = parseUpid(upid)
  if (parsed) return parsed.node
  throw new ProxmoxError({ kind: 'invalid', parameters: { upid: 'not a UPID' } }, 'not a UPID')
}
