import { z } from 'zod'
import { Timestamp } from './fields.ts'

export const metricsQuery = z.object({
  period: z.enum(['hour', 'day', 'week', 'month']).default('hour'),
})

/** One sample of a machine's metrics; null where the cluster has no figure. */
export const MetricsPoint = z.object({
  at: Timestamp,
  /** A fraction, 0 to 1. */
  cpuUsage: z.number().nullable(),
  memoryUsed: z.number().nullable(),
  memoryTotal: z.number().nullable(),
  /** Bytes per second. */
  netIn: z.number().nullable(),
  netOut: z.number().nullable(),
  diskRead: z.number().nullable(),
  diskWrite: z.number().nullable(),
})
export type MetricsPoint = z.output<typeof MetricsPoint>
