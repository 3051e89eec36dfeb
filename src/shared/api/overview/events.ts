import { z } from 'zod'
import { route } from '../parts/route.ts'

export const JobState = z.enum(['queued', 'running', 'waiting', 'undoing', 'done', 'failed'])
export type JobState = z.output<typeof JobState>

/** A message from the server to a page: a hint to read again, never the only copy of a fact. */
export const ServerEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('job'),
    job: z.object({
      id: z.string(),
      kind: z.string(),
      title: z.string(),
      state: JobState,
      step: z.string().nullable(),
      progress: z.number().min(0).max(1),
      error: z.string().nullable(),
    }),
  }),
  /** These nouns changed: lists that show them are read again. */
  z.object({ type: z.literal('changed'), nouns: z.array(z.string()) }),
  /** The session was ended elsewhere. */
  z.object({ type: z.literal('signed-out') }),
])
export type ServerEvent = z.output<typeof ServerEvent>

/** A page that took longer to open its stream reads everything again. */
export const MAX_EVENT_AGE_MS = 60_000

export const events = {
  stream: route({
    method: 'GET',
    path: '/api/events',
    access: 'signed-in',
    staff: 'look',
    summary: 'Server-sent events for the signed-in user; resumes by Last-Event-ID',
    query: z.object({
      /** Begins with the events of the last so many milliseconds: a page read its data before. */
      age: z.coerce.number<number>().int().min(0).max(MAX_EVENT_AGE_MS).optional(),
    }),
    response: ServerEvent,
  }),
}
