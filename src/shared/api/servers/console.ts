import { z } from 'zod'
import { idParams, nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const Vnc = z.object({
  host: z.string().optional(),
  port: z.number().int(),
  vmid: z.number().int(),
  node: z.string(),
  ticket: z.string(),
})

/** Plural, because `console` is a browser global. */
export const consoles = {
  ticket: route({
    method: 'POST',
    path: '/api/instances/:id/console',
    access: 'signed-in',
    staff: 'run',
    scope: 'servers:console',
    summary: 'A one-time ticket for the screen of the VM',
    params: idParams,
    response: Vnc.extend({
      success: z.literal(true),
      /** Opens the cluster's own console page, at the address in the reply (C2). */
      isDirect: z.boolean(),
      vnc: Vnc,
    }),
  }),
  /** The first message is the ticket; everything after it is the screen (RFB). */
  screen: route({
    method: 'GET',
    path: '/api/console',
    access: 'signed-in',
    staff: 'run',
    scope: 'servers:console',
    summary: 'The screen of a VM over a WebSocket, opened with a ticket',
    response: nothing,
  }),
}
