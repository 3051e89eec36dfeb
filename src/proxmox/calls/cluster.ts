import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { flag, listRow, maybeNumber, maybeText, number, text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { isProxmoxError } from '../wire/errors.ts'
import { readFlag, readMaybeNumber, readMaybeText, readTags, readText } from '../wire/read-value.ts'
import { TaskEntry } from './task-answers.ts'

/**
 * One type of row for everything in `/cluster/resources`; only `id` and `type` are always present.
 */
export const Resource = listRow((field) => ({
  id: field('id', readText),
  type: field('type', readText),
  node: field('node', readMaybeText),
  vmid: field('vmid', readMaybeNumber),
  name: field('name', readMaybeText),
  /** For a VM this is the qmpstatus: `paused`, `prelaunch`… too; `unknown` for a dead node (facts §9). */
  status: field('status', readMaybeText),
  template: field('template', readFlag),
  lock: field('lock', readMaybeText),
  hastate: field('hastate', readMaybeText),
  pool: field('pool', readMaybeText),
  tags: field('tags', readTags),
  uptime: field('uptime', readMaybeNumber),
  cpu: field('cpu', readMaybeNumber),
  maxcpu: field('maxcpu', readMaybeNumber),
  mem: field('mem', readMaybeNumber),
  maxmem: field('maxmem', readMaybeNumber),
  disk: field('disk', readMaybeNumber),
  maxdisk: field('maxdisk', readMaybeNumber),
  /** Bytes to and from a VM since its process started (facts-2 §8). */
  netin: field('netin', readMaybeNumber),
  netout: field('netout', readMaybeNumber),
  storage: field('storage', readMaybeText),
  shared: field('shared', readFlag),
  content: field('content', readMaybeText),
}))
export type Resource = z.output<typeof Resource>

const ClusterMember = z.object({
  type: z.enum(['cluster', 'node']),
  name: text,
  quorate: flag,
  online: flag,
  local: flag,
  ip: maybeText,
  nodeid: maybeNumber,
})

export type ClusterStatus = {
  /** Absent on a standalone host, which is always quorate. */
  name: string | undefined
  isQuorate: boolean
  nodes: { name: string; isOnline: boolean; isLocal: boolean; ip: string | undefined }[]
}

export const ClusterStatus = z.array(ClusterMember).transform((members): ClusterStatus => {
  const cluster = members.find((member) => member.type === 'cluster')
  const nodes = members.filter((member) => member.type === 'node')
  return {
    name: cluster?.name,
    isQuorate: cluster?.quorate ?? true,
    nodes: nodes.map(({ name, online, local, ip }) => ({
      name,
      isOnline: online,
      isLocal: local,
      ip,
    })),
  }
})

export function clusterCalls(call: Caller) {
  return {
    status: (options?: CallOptions): Promise<ClusterStatus> =>
      call.get(path`/cluster/status`, ClusterStatus, options),
    /** Updated by pvestatd about every 10 s: good for lists, late for the effect of an action. */
    resources: (
      options: CallOptions & { type?: 'node' | 'sdn' | 'storage' | 'vm' } = {},
    ): Promise<Resource[]> => {
      const { type, ...rest } = options
      const at = path`/cluster/resources`
      return call.get(at, z.array(Resource), { ...rest, parameters: { type } })
    },
    /** The lowest free VM id. Reserves nothing. */
    nextId: (options?: CallOptions): Promise<number> =>
      call.get(path`/cluster/nextid`, number, options),
    async isFree(vmid: number, options?: CallOptions): Promise<boolean> {
      try {
        await call.get(path`/cluster/nextid`, number, { ...options, parameters: { vmid } })
        return true
      } catch (error) {
        if (isProxmoxError(error, 'vmid-taken')) return false
        throw error
      }
    },
    /** Recent tasks of all nodes; a token without Sys.Audit on `/` does not see its own here. */
    tasks: (options?: CallOptions): Promise<TaskEntry[]> =>
      call.get(path`/cluster/tasks`, z.array(TaskEntry), options),
  }
}

export type ClusterCalls = ReturnType<typeof clusterCalls>
