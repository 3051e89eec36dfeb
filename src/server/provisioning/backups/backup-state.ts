import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import { holdBy } from '../hold/held-server.ts'
import { holdServer } from '../hold/hold-server.ts'

export const BackupInput = z.object({
  instanceId: z.number().int(),
  tokenId: z.number().int(),
  /** The name the server was sold by. */
  name: z.string(),
  backupId: z.number().int(),
  /** The server that the backup is of, if another one gets its disks; held as well. */
  source: z.object({ instanceId: z.number().int(), tokenId: z.number().int() }).optional(),
  since: z.string(),
  /** True if the server is held only once its turn has come: until then it is used as always. */
  isFreeUntilTurn: z.boolean().optional(),
})
export type BackupInput = z.output<typeof BackupInput>
export type BackupContext = StepContext<BackupInput>

const OVER = 'This work on a backup is over. Begin another one.'

export const hold = holdBy({ status: UPDATING, over: OVER })
/** Backups are deleted also of a server whose time is over. */
export const holdAnyway = holdBy({ status: UPDATING, over: OVER, mayBeOff: true })

type Server = { id: number; name: string; tokenId: number }

/** Holds a server for a job that works on a backup of it. The caller holds its lock. */
export async function holdForBackup(
  tx: Db,
  server: Server,
  backupId: number,
  at: Date,
): Promise<BackupInput> {
  return { ...(await holdServer(tx, server, at)), backupId }
}

/** For a backup that may have to wait for its turn, which holds the server then. */
export const wishForBackup = (server: Server, backupId: number, at: Date): BackupInput => ({
  instanceId: server.id,
  tokenId: server.tokenId,
  name: server.name,
  backupId,
  since: at.toISOString(),
  isFreeUntilTurn: true,
})
