import { and, eq } from 'drizzle-orm'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances } from '../../db/schema/stock.ts'
import { isHeld } from '../../inventory/vm/acts-under-way.ts'
import { NotYetError } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { Hold } from '../hold/held-server.ts'
import { markHeld } from '../hold/hold-server.ts'
import { backupById, requireBackup, systemNow } from './backup-rows.ts'
import type { BackupInput } from './backup-state.ts'
import { isItself } from './free-server.ts'

const BUSY = 'Another backup is being made here. This one comes after it.'
const IN_USE = 'Another action is running on this server. Its backup comes after it.'
const NOT_ITSELF =
  'A CD is in this server, or its login is being replaced. Its backup comes after that.'

/** Whether there is anything to make: while a backup waits its owner may cancel it. */
export type Turn = { isCancelled: boolean }

/**
 * A node makes one backup at a time: the database decides whose turn it is, for all processes. Until
 * then the server may be switched, reinstalled and ended; what holds for it is asked again now.
 */
export async function takeTurn(deps: JobDeps, hold: Hold, input: BackupInput): Promise<Turn> {
  const { db } = deps
  const { backupId, isFreeUntilTurn } = input
  const backup = await (isFreeUntilTurn ? backupById : requireBackup)(db, backupId)
  if (!backup) return { isCancelled: true }
  const isOurs = !isFreeUntilTurn || backup.turn !== null
  const { hypervisor, vm, instance } = await (isOurs ? hold.targetOf : hold.wantedBy)(deps, input)
  const turn = `${instance.clusterId}/${await hypervisor.nodeOf(vm)}`
  try {
    return await db.transaction(async (tx) => {
      if (!isOurs && !(await claimNow(tx, deps, { hold, input }))) return { isCancelled: true }
      await tx.update(backups).set({ turn }).where(eq(backups.id, backupId))
      return { isCancelled: false }
    })
  } catch (error) {
    if (brokenConstraint(error) !== 'backups_turn') throw error
    throw new NotYetError(BUSY)
  }
}

type Claiming = { hold: Hold; input: BackupInput }

/** False if its owner cancelled it before this job had the lock. */
async function claimNow(
  tx: Db,
  { clock, events }: Pick<JobDeps, 'clock' | 'events'>,
  { hold, input }: Claiming,
): Promise<boolean> {
  const { instance, token } = await hold.lockWanted(tx, input)
  if (!(await backupById(tx, input.backupId))) return false
  const { id, ownerId } = instance
  if (isHeld(instance, clock.now())) throw new NotYetError(IN_USE)
  const [itself] = await tx
    .select({ id: instances.id })
    .from(instances)
    .where(and(eq(instances.id, id), isItself))
  if (!itself) throw new NotYetError(NOT_ITSELF)
  await markHeld(tx, id, new Date(input.since))
  // It may have got another system or login since the backup was asked for.
  const system = await systemNow(tx, token, id)
  await tx.update(backups).set(system).where(eq(backups.id, input.backupId))
  await publishTokenChange(tx, events, ownerId)
  return true
}
