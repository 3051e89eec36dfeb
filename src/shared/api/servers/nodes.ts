import { z } from 'zod'
import { Id, idParams, Message, Timestamp } from '../parts/fields.ts'
import { MetricsPoint, metricsQuery } from '../parts/metrics.ts'
import { route } from '../parts/route.ts'
import { Template } from './templates.ts'

export const NodeStatus = z.enum(['online', 'offline', 'maintenance', 'unknown'])
export type NodeStatus = z.output<typeof NodeStatus>

export const Node = z.object({
  id: Id,
  clusterId: Id,
  name: z.string(),
  status: NodeStatus,
  /** A fraction, 0 to 1. */
  cpuUsage: z.number().nullable(),
  memoryUsed: z.number().nullable(),
  memoryTotal: z.number().nullable(),
  storageUsed: z.number().nullable(),
  storageTotal: z.number().nullable(),
  /** Percent, 0 to 100. */
  memoryUsage: z.number().nullable(),
  diskUsage: z.number().nullable(),
  vmCount: z.number().int(),
  lastUpdated: Timestamp.nullable(),
})
export type Node = z.output<typeof Node>

export const nodes = {
  list: route({
    method: 'GET',
    path: '/api/nodes',
    access: 'admin',
    staff: 'look',
    summary: 'All nodes of all clusters',
    response: z.array(Node),
  }),
  templates: route({
    method: 'GET',
    path: '/api/nodes/:id/templates',
    access: 'admin',
    staff: 'look',
    summary: 'The templates of one node',
    params: idParams,
    response: z.array(Template),
  }),
  sync: route({
    method: 'POST',
    path: '/api/nodes/sync/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Read nodes and templates of one cluster again',
    params: idParams,
    response: Message,
  }),
  metrics: route({
    method: 'GET',
    path: '/api/nodes/:id/metrics',
    access: 'admin',
    staff: 'look',
    summary: 'CPU, memory, network and disk of a node over time',
    params: idParams,
    query: metricsQuery,
    response: z.array(MetricsPoint),
  }),
}
