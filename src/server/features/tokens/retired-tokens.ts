import { eq } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { isExpired, keptUntil } from '#shared/rules/token/token-expiry.ts'
import { isStock, stockStatus } from '#shared/rules/token/token-status.ts'
import { settleToken } from '../../addresses/settle-addresses.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { forgetHostKeys } from '../../host-keys/host-key-rows.ts'
import { OF_NOBODY } from '../../inventory/views/suspended.ts'
import type { startJob } from '../../provisioning/lifecycle/lifecycle-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type LiveStatus, moveTokens } from '../../tokens/move-token.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { checkTemplate, holdAddress, placeOf, takeInstance } from './token-checks.ts'

type RestoreDeps = Pick<Deps, 'clock' | 'hypervisors' | 'jobs'> & {
  start: ReturnType<typeof startJob>
}

async function locked(tx: Db, id: number): Promise<TokenRow> {
  const [row] = await tx.select().from(tokens).where(eq(tokens.id, id)).for('update')
  if (!row) throw notFound('Token')
  return row
}

async function instanceOf(tx: Db, { assignedInstanceId }: TokenRow) {
  if (assignedInstanceId === null) return undefined
  const [row] = await tx.select().from(instances).where(eq(instances.id, assignedInstanceId))
  return row
}

/** Returns the audit action. */
export async function removeToken(
  tx: Db,
  id: number,
  { clock, config }: Pick<Deps, 'clock' | 'config'>,
): Promise<'token.withdraw' | 'token.delete'> {
  const token = await locked(tx, id)
  if (token.status === 'cancelled') {
    await deleteForGood(tx, token, config.graceDays)
    await settleToken(tx, token, clock.now())
    return 'token.delete'
  }
  const isUsed = token.status === 'pending' || token.assignedInstanceId !== null
  if (!isStock(token.status) && isUsed) {
    throw new AppError('IN_USE', inUse(token))
  }
  await moveTokens(tx, eq(tokens.id, id), { to: 'cancelled', now: clock.now() })
  // The VM of a ready token is free for another one.
  await tx.update(instances).set({ tokenId: null }).where(eq(instances.tokenId, id))
  await settleToken(tx, token, clock.now())
  return 'token.withdraw'
}

/** Names the call that ends a server that a client has. */
function inUse({ status, assignedInstanceId }: TokenRow): string {
  if (status === 'pending') {
    return 'The token is being prepared for a client. Cancel its order instead.'
  }
  const call = assignedInstanceId === null ? '' : `: POST /api/instances/${assignedInstanceId}/end`
  return `The token is in use. End its server instead${call}.`
}

/**
 * Refused while a VM that we made is kept: without its token it would be forgotten, and run for
 * ever.
 */
async function deleteForGood(tx: Db, token: TokenRow, graceDays: number): Promise<void> {
  const instance = await instanceOf(tx, token)
  if (instance && instance.marker !== null) {
    const until = keptUntil(token, graceDays)?.toISOString().slice(0, 10)
    throw new AppError(
      'IN_USE',
      `Its VM ${instance.vmId} is kept${until ? ` until ${until}` : ''}, and the record with it. ` +
        `To remove the VM now, delete the instance: DELETE /api/instances/${instance.id}.`,
    )
  }
  if (instance) {
    await tx.update(instances).set(OF_NOBODY).where(eq(instances.id, instance.id))
    await forgetHostKeys(tx, instance.id)
  }
  await tx.delete(tokens).where(eq(tokens.id, token.id))
}

/**
 * Reverts a cancellation. A token that was never sold is on sale again, if its parts still exist
 * and are free. One cancelled by its owner is the owner's again, while the VM is kept. A used token
 * never goes back on sale (T8).
 */
export async function restoreToken(tx: Db, id: number, deps: RestoreDeps): Promise<TokenRow> {
  const token = await locked(tx, id)
  const now = deps.clock.now()
  const to: LiveStatus =
    token.assignedAt === null ? stockStatus(token.tokenType) : ownedStatus(token, now)
  if (token.status !== 'cancelled') throw new AppError('INVALID_STATE', 'It is not cancelled.')
  if (token.assignedAt !== null) await checkOwned(tx, token)
  else await takeStockBack(tx, token, deps)
  // On sale again, it gets an IPv6 address with its sale: another server may have its former one.
  const values = token.assignedAt === null ? { ipv6Address: null } : {}
  const [row] = await moveTokens(tx, eq(tokens.id, id), { to, from: ['cancelled'], values })
  if (!row) throw notFound('Token')
  for (const one of [token, row]) await settleToken(tx, one, now)
  if (to === 'assigned' && row.assignedUserId !== null) {
    const input = { tokenId: id, name: row.name }
    await deps.jobs.enqueue(tx, deps.start, input, { ownerId: row.assignedUserId })
  }
  return row
}

/** The paid term continues; if it is over or was refunded, the client has to renew it. */
const ownedStatus = (token: TokenRow, now: Date): LiveStatus =>
  isExpired(token, now) ? 'expired' : 'assigned'

async function checkOwned(tx: Db, token: TokenRow): Promise<void> {
  const instance = await instanceOf(tx, token)
  if (!instance || instance.missingSince !== null || instance.status === 'deleting') {
    throw new AppError('VM_MISSING', 'Its VM no longer exists: the token cannot be restored.')
  }
  if (token.assignedUserId === null) {
    throw new AppError(
      'INVALID_STATE',
      'Its VM was used by a client who is gone, and is not sold again. Create a new token.',
    )
  }
}

async function takeStockBack(tx: Db, token: TokenRow, deps: RestoreDeps): Promise<void> {
  const gone = (what: string) => new AppError('VM_MISSING', `${what}: create a new token.`)
  if (token.nodeId === null) throw gone('Its node no longer exists')
  const place = await placeOf(tx, token.nodeId, deps)
  if (token.tokenType === 'ready') {
    if (token.instanceId === null) throw gone('Its VM no longer exists')
    await takeInstance(tx, token.instanceId, token.id)
    return
  }
  if (token.templateId === null) throw gone('Its template no longer exists')
  await checkTemplate(tx, token.templateId, place, deps)
  if (token.ipAddress !== null) {
    await holdAddress(tx, token.ipAddress, place, { ...deps, tokenId: token.id })
  }
}
