import { z } from 'zod'
import type { SystemKind } from '../../hypervisor/port/disks.ts'
import { REINSTALLING } from '../../inventory/vm/acts-under-way.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import { holdBy } from '../hold/held-server.ts'
import type { WithLogin } from '../hold/stored-login.ts'

export const ReinstallInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name it was sold by. */
  name: z.string(),
  osType: z.string(),
  /** Our row of the template. */
  templateId: z.number().int(),
  sshKeyIds: z.array(z.number().int()),
  since: z.string(),
  /** Taken before the disk is replaced, as a way back. */
  snapshot: z.object({ id: z.number().int(), vmSnapshot: z.string() }).optional(),
  /** Sealed, and erased when the job ends. */
  userData: z.object({ id: z.string(), sealed: z.string() }).optional(),
})
export type ReinstallInput = z.output<typeof ReinstallInput>
export type ReinstallContext = StepContext<ReinstallInput>

export const hold = holdBy({
  status: REINSTALLING,
  over: 'This reinstallation is over. Begin another one.',
})
export const { targetOf, undoOn } = hold

export type Remembered = WithLogin & {
  volume: string
  spare: string[]
  sizeGb: number
  /** What the cluster took the old system for; jobs of an older version do not know it. */
  system?: SystemKind | undefined
}
