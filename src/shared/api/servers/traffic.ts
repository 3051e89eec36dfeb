import { z } from 'zod'
import { Id, idParams } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const Bytes = { inBytes: z.number().int(), outBytes: z.number().int() }

const TrafficDay = z.object({
  /** Of UTC: 2026-11-17. */
  day: z.iso.date(),
  ...Bytes,
})
export type TrafficDay = z.output<typeof TrafficDay>

const Talker = z.object({
  id: Id,
  label: z.string(),
  client: z.object({ id: Id, name: z.string() }).nullable(),
  cluster: z.string(),
  ...Bytes,
  /** Used its traffic up, and is slowed. */
  isSlowed: z.boolean(),
})
export type Talker = z.output<typeof Talker>

export const TALKER_DAYS = [1, 7, 30] as const

export const traffic = {
  days: route({
    method: 'GET',
    path: '/api/instances/:id/traffic',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'What passed through the card of a server on each of the last 30 days',
    params: idParams,
    response: z.array(TrafficDay),
  }),
  top: route({
    method: 'GET',
    path: '/api/traffic',
    access: 'admin',
    staff: 'look',
    summary: 'The servers through which most has passed in the last days',
    query: z.object({
      /** Today counts as one of them. */
      days: z.coerce.number<number>().int().min(1).max(90).default(7),
    }),
    response: z.array(Talker),
  }),
}
