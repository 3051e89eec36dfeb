import { z } from 'zod'
import { route } from '../parts/route.ts'

/** A message of JSON-RPC 2.0; what is wrong with it is said in the answer's own way. */
const Message = z.record(z.string(), z.unknown())

export const tools = {
  call: route({
    method: 'POST',
    path: '/api/mcp',
    access: 'signed-in',
    staff: 'look',
    scope: 'any',
    summary:
      'The calls by key as tools for agents, by the Model Context Protocol (Streamable HTTP, stateless)',
    query: z.object({
      /** Without it only tools that read are there. */
      allow: z.enum(['changes'], { error: 'The only thing to allow is changes' }).optional(),
    }),
    body: z.unknown(),
    response: Message,
  }),
}
