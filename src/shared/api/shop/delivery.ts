import { z } from 'zod'
import { PROOFS } from '../../rules/instance/proof-of-life.ts'
import { Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** How a new server proved that it answers. */
export const Answer = z.object({
  by: z.enum(PROOFS),
  /** `SHA256:…`, where it answered by SSH. */
  hostKey: z.string().nullable(),
  at: Timestamp,
})

const DeliveryFigures = z.object({
  /** Servers that answered, and were paid only then. */
  delivered: z.number().int(),
  /** Servers that stayed silent; the money came back by itself. */
  returned: z.number().int(),
  /** From the start of the work until the answer; null where nothing was delivered. */
  medianSeconds: z.number().int().nullable(),
})
export type DeliveryFigures = z.output<typeof DeliveryFigures>

export const delivery = {
  figures: route({
    method: 'GET',
    path: '/api/delivery',
    access: 'public',
    summary: 'How many servers of the last 30 days answered, and how soon',
    response: DeliveryFigures,
  }),
}
