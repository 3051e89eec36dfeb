import { z } from 'zod'
import { Id, nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const simulation = {
  start: route({
    method: 'POST',
    path: '/api/admin/simulate/:userId',
    access: 'admin',
    staff: 'help',
    summary: 'Look at the product as this client does',
    params: z.object({ userId: z.coerce.number<number>().int().positive().max(2_147_483_647) }),
    response: z.object({
      simulatingUser: z.object({
        id: Id,
        username: z.string().nullable(),
        email: z.string().nullable(),
      }),
    }),
  }),
  end: route({
    method: 'POST',
    path: '/api/admin/end-simulation',
    access: 'simulating',
    staff: 'look',
    summary: 'Return to the admin account',
    beforeSecondFactor: true,
    response: nothing,
    status: 204,
  }),
}
