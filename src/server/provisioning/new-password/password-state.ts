import { z } from 'zod'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import { holdBy } from '../hold/held-server.ts'

export const PasswordInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name it was sold by. */
  name: z.string(),
  since: z.string(),
})
export type PasswordInput = z.output<typeof PasswordInput>
export type PasswordContext = StepContext<PasswordInput>

export const hold = holdBy({
  status: UPDATING,
  over: 'This change of the password is over. Begin another one.',
})
