import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import { holdBy } from '../hold/held-server.ts'

export const BackupInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name the server was sold by. */
  name: z.string(),
  backupId: z.number().int(),
  /** The server that the backup is of, if another one gets its disks; held as well. */
  source: z.object({ instanceId: z.number().int(), tokenId: z.number().int() }).optional(),
  since: z.string(),
})
export type BackupInput = z.output<typeof BackupInput>
export type BackupContext = StepContext<BackupInput>

const OVER = 'This work on a backup is over. Begin another one.'

export const hold = holdBy({ status: UPDATING, over: OVER })
/** Backups are deleted also of a server whose time is over. */
export const holdAnyway = holdBy({ status: UPDATING, over: OVER, mayBeOff: true })

/** Claims a server for a job that works on a backup of it. The caller holds its lock. */
export async function claimForBackup(
  tx: Db,
  server: { id: number; name: string; tokenId: number },
  backupId: number,
  at: Date,
): Promise<BackupInput> {
  await tx
    .update(instances)
    .set({ status: UPDATING, lastUpdated: at, powerFailure: null })
    .where(eq(instances.id, server.id))
  const { id: instanceId, tokenId, name } = server
  return { instanceId, tokenId, name, backupId, since: at.toISOString() }
}
