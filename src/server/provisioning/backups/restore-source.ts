import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import type { OtherVm } from '../../hypervisor/port/backups.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { stateOf } from '../hold/claim-step.ts'
import type { Target } from '../hold/held-server.ts'
import { release } from '../hold/hold-server.ts'
import { type BackupInput, holdAnyway } from './backup-state.ts'

/** The claim on the server that the backup is of: the archive is not deleted while it is read. */
const claimOf = ({ source, since }: BackupInput) => source && { ...source, since }

const refused = (why: string) => new AppError('INVALID_STATE', why, { publicMessage: why })

/**
 * The server whose archive is restored; undefined if it is this server's own. Asked before anything is
 * deleted: both servers are of the same client, and no other job works on that one.
 */
export async function sourceOf(
  db: Db,
  input: BackupInput,
  { instance }: Pick<Target, 'instance'>,
): Promise<OtherVm | undefined> {
  const claim = claimOf(input)
  if (!claim) return undefined
  const held = await holdAnyway.heldBy(db, claim)
  if (!held) throw refused('The server that this backup is of is no longer held for this work.')
  const { ownerId, clusterId, vmId } = held.instance
  if (ownerId === null || ownerId !== instance.ownerId || clusterId !== instance.clusterId) {
    throw refused('This backup is not of a server of the same client.')
  }
  return { vmId }
}

/** What the source is like now; asked before the transaction that ends the claim. */
export async function sourceState(deps: JobDeps, input: BackupInput): Promise<string> {
  const claim = claimOf(input)
  const held = claim && (await holdAnyway.heldBy(deps.db, claim))
  return held ? await stateOf(deps, held) : 'unknown'
}

/** Others may act on it again. */
export async function freeSource(
  tx: Db,
  { clock, events }: Pick<JobDeps, 'clock' | 'events'>,
  { input, status }: { input: BackupInput; status: string },
): Promise<void> {
  const claim = claimOf(input)
  const held = claim && (await holdAnyway.lockHeld(tx, claim))
  if (!held) return
  await release(tx, held, status, clock.now())
  await publishTokenChange(tx, events, held.instance.ownerId)
}
