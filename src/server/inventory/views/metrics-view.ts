import type { z } from 'zod'
import type { MetricsPoint } from '#shared/api/parts/metrics.ts'
import type { MetricsPoint as Seen } from '../../hypervisor/port/hypervisor.ts'

const orNull = (value: number | undefined) => value ?? null

/** Null if the cluster has no figure. */
export const toMetricsPoint = (point: Seen): z.input<typeof MetricsPoint> => ({
  at: point.at,
  cpuUsage: orNull(point.cpuUsage),
  memoryUsed: orNull(point.memoryUsed),
  memoryTotal: orNull(point.memoryTotal),
  netIn: orNull(point.netIn),
  netOut: orNull(point.netOut),
  diskRead: orNull(point.diskRead),
  diskWrite: orNull(point.diskWrite),
})
