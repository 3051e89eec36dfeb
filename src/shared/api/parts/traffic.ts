import { z } from 'zod'
import { TRAFFIC_COUNTS } from '../../rules/network/traffic.ts'
import { Timestamp } from './fields.ts'

/** What has passed through a server's card in the present period. */
export const Traffic = z.object({
  /** To the server, and from it. */
  inBytes: z.number().int(),
  outBytes: z.number().int(),
  /** What of it counts, and of how much; null is unlimited. */
  counts: z.enum(TRAFFIC_COUNTS),
  usedBytes: z.number().int(),
  quotaBytes: z.number().int().nullable(),
  from: Timestamp,
  to: Timestamp,
  /** 100: it is slowed until the period ends. */
  level: z.literal([0, 80, 100]),
  /** The rate of a server that has used its traffic up. */
  slowMbit: z.number().int(),
})
export type Traffic = z.output<typeof Traffic>
