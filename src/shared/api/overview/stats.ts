import { z } from 'zod'
import { route } from '../parts/route.ts'

const Stats = z.object({
  availableTokens: z.number().int(),
  runningInstances: z.number().int(),
  activeNodes: z.number().int(),
  failedInstances: z.number().int(),
})

export const stats = {
  get: route({
    method: 'GET',
    path: '/api/stats',
    access: 'signed-in',
    staff: 'look',
    summary: 'Four figures for the dashboard; a client counts its own',
    response: Stats,
  }),
}
