import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { transferRefusal } from '#shared/rules/token/transfer.ts'
import { settleAddressesOf } from '../../addresses/settle-addresses.ts'
import { endKeysOfServer } from '../../api-keys/end-keys.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { HANDED_OVER, TAKEN_OVER } from '../../audit/taken-over.ts'
import { rowsOf } from '../../db/catalog.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { handoverCodes, handovers } from '../../db/schema/handovers.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'
import { instances, ownIsos, tokens } from '../../db/schema/stock.ts'
import { consoleTickets, jobs as jobsTable } from '../../db/schema/work.ts'
import { forgetRules } from '../../firewalls/forget-rules.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import { replaceKeysOn } from '../../inventory/vm/server-keys.ts'
import { tokenSubject } from '../../jobs/job-definition.ts'
import { UNFINISHED } from '../../jobs/job-store.ts'
import { isHostnameTaken, setupOf } from '../../orders/server-setup.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { type TransferState, transferState } from '../../tokens/handover-rows.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { sealPassword, type TokenRow } from '../../tokens/token-rows.ts'
import { type Backed, backed } from '../backups/backup-age.ts'
import { releaseOpenRenewals } from '../lifecycle/end-token.ts'
import { dropNext } from '../package-change/next-package.ts'
import { beginHandover } from './begin-handover.ts'
import type { HandoverJob } from './handover-job.ts'
import { hashOfCode } from './transfer-code.ts'

type TakeOverDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'events' | 'jobs' | 'keyring'> & {
  audit: Audit
  handover: HandoverJob
}
type Wishes = { sshKeyIds?: number[] | undefined }
type Server = { token: TokenRow; instance: InstanceRow; giverId: number }

export type TakeOver = ReturnType<typeof createTakeOver>

/**
 * The one answer to every code that opens nothing: wrong, old, used, withdrawn, one's own, or of a
 * server that cannot be handed over any more. The owner of the server reads why on its page.
 */
const invalidCode = () =>
  new AppError('INVALID_TRANSFER_CODE', 'This code is not valid. Ask for a new one.')

/**
 * Gives a server to the account that has the code, in one transaction: from its commit on the
 * former owner has no right to it, and knows none of its logins that we set. Money stays where it
 * is: what the former owner paid is the server's time. A job then replaces the login in the guest.
 */
export function createTakeOver(deps: TakeOverDeps) {
  const { db, clock, events, jobs, keyring, audit, handover } = deps

  /** The former owner's screens close by the event; what it could still open is deleted here. */
  const endRights = async (tx: Db, { token, instance, giverId }: Server, userId: number) => {
    const isTheirs = and(
      eq(consoleTickets.instanceId, instance.id),
      eq(consoleTickets.userId, giverId),
    )
    await tx.delete(consoleTickets).where(isTheirs)
    await endKeysOfServer(tx, { userId: giverId, instanceId: instance.id })
    const subjects = [tokenSubject(token.id), `instance:${instance.id}`]
    await tx
      .update(jobsTable)
      .set({ ownerId: userId })
      .where(and(inArray(jobsTable.subject, subjects), inArray(jobsTable.state, UNFINISHED)))
  }

  const give = async (tx: Db, { token, instance, giverId }: Server, userId: number) => {
    const isTheirs = and(eq(tokens.id, token.id), eq(tokens.assignedUserId, giverId))
    const [given] = await moveTokens(tx, isTheirs, {
      to: 'assigned',
      from: ['assigned'],
      values: {
        assignedUserId: userId,
        password: sealPassword(keyring, token.tokenId, ''),
        // The new owner has not agreed that credit is spent on it.
        autoRenew: false,
      },
    })
    if (!given) throw invalidCode()
    const { hostname } = instance
    const isTaken = hostname !== null && (await isHostnameTaken(tx, userId, hostname))
    await tx
      .update(instances)
      .set({
        ownerId: userId,
        // A private word of the former owner. The hostname is inside the server anyway.
        label: null,
        hostname: isTaken ? null : hostname,
        powerFailure: null,
      })
      .where(eq(instances.id, instance.id))
    await forgetRules(tx, eq(firewalls.instanceId, instance.id))
    // So does the new owner about its package.
    await dropNext(tx, token.id)
    await tx.delete(backupSchedules).where(eq(backupSchedules.instanceId, instance.id))
    // The address of an image is the former owner's secret; the sweep deletes the file.
    const isOfServer = eq(ownIsos.instanceId, instance.id)
    await tx.update(ownIsos).set({ instanceId: null }).where(isOfServer)
  }

  /** The job reads the keys from their rows, and makes a password where there are none. */
  const replaceLogin = async (
    tx: Db,
    { token, instance, giverId }: Server,
    { userId, sshKeys }: { userId: number; sshKeys: readonly string[] },
  ): Promise<string> => {
    await replaceKeysOn(tx, instance.id, sshKeys)
    const [row] = await tx
      .insert(handovers)
      .values({ tokenId: token.id, instanceId: instance.id, giverId, at: clock.now() })
      .returning({ id: handovers.id })
    if (!row) throw new Error('the transfer was not stored')
    const input = {
      handoverId: row.id,
      instanceId: instance.id,
      tokenId: token.id,
      name: instance.name,
    }
    return await beginHandover(tx, input, userId, { jobs, handover })
  }

  const takeOver = (
    actor: Actor,
    code: string,
    { sshKeyIds = [] }: Wishes,
  ): Promise<{ instanceId: number; jobId: string }> =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const userId = actor.user.id
      const codeHash = hashOfCode(code)
      if (codeHash === undefined) throw invalidCode()
      const server = await lockOffered(tx, { codeHash, userId, now })
      const { token, instance, giverId } = server
      const sold = { osType: token.osType, isReady: false }
      const setup = await setupOf(tx, userId, { sshKeyIds }, sold, deps)
      await give(tx, server, userId)
      await endRights(tx, server, userId)
      // The reverse name that the former owner chose ends with its right.
      await settleAddressesOf(tx, { clusterId: instance.clusterId, now }, token.id)
      const keys = { userId, sshKeys: setup?.sshKeys ?? [] }
      const jobId = await replaceLogin(tx, server, keys)
      await publishTokenChange(tx, events, giverId)
      await publishTokenChange(tx, events, userId)
      // Each account reads its own entry: neither learns which account the other one is.
      const target = `instance:${instance.id}`
      const giver = { user: { id: giverId } }
      await audit.record(tx, giver, { action: HANDED_OVER, target, subject: giverId })
      await audit.record(tx, actor, { action: TAKEN_OVER, target, subject: userId })
      return { instanceId: instance.id, jobId }
    })

  return async (...given: Parameters<typeof takeOver>) => {
    try {
      return await takeOver(...given)
    } catch (error) {
      // Given to another server in the same moment; the next try finds it taken.
      if (brokenConstraint(error) !== 'instances_hostname') throw error
      throw new AppError('CONFLICT', 'One of your servers was just renamed. Try again.', {
        cause: error,
      })
    }
  }
}

type Offered = { codeHash: string; userId: number; now: Date }

/**
 * Uses the code up and locks everything that decides, in the order of every other transaction:
 * accounts, orders, token, instance. Of two requests at once the second finds no code.
 */
async function lockOffered(tx: Db, offered: Offered): Promise<Server> {
  const { userId, now } = offered
  const offer = await openOffer(tx, offered)
  const people = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, [offer.giverId, userId]), eq(users.isActive, true)))
    .orderBy(users.id)
    .for('no key update')
  if (people.length !== 2) throw invalidCode()
  await releaseOpenRenewals(tx, offer.tokenId, now)
  const [token] = await tx.select().from(tokens).where(eq(tokens.id, offer.tokenId)).for('update')
  const [instance] = await tx
    .select()
    .from(instances)
    .where(
      and(eq(instances.id, token?.assignedInstanceId ?? 0), eq(instances.tokenId, offer.tokenId)),
    )
    .for('update')
  if (!token || !instance || token.assignedUserId !== offer.giverId) throw invalidCode()
  if ((await refusalOf(tx, token, instance)) !== undefined) throw invalidCode()
  const used = await tx.delete(handoverCodes).where(isOpen(offered)).returning()
  if (used.length === 0) throw invalidCode()
  return { token, instance, giverId: offer.giverId }
}

const isOpen = ({ codeHash, userId, now }: Offered) =>
  and(
    eq(handoverCodes.codeHash, codeHash),
    ne(handoverCodes.giverId, userId),
    gt(handoverCodes.expiresAt, now),
  )

async function openOffer(tx: Db, offered: Offered) {
  const [offer] = await tx.select().from(handoverCodes).where(isOpen(offered))
  if (!offer) throw invalidCode()
  return offer
}

async function refusalOf(tx: Db, token: TokenRow, instance: InstanceRow) {
  const server = { tokenId: token.id, instanceId: instance.id, ownerId: token.assignedUserId }
  const [row] = await rowsOf<{ state: TransferState; backed: Backed }>(
    tx,
    sql`select ${transferState(server)} as state, ${backed(sql`${instance.id}`)} as backed`,
  )
  if (!row) throw new Error('the database did not answer')
  const { status } = token
  return transferRefusal({
    ...row.state,
    hasBackups: row.backed.made.length > 0,
    status: instance.missingSince === null ? instance.status : 'missing',
    term: status === 'ready' || status === 'available' ? null : status,
    isSuspended: instance.suspendedAt !== null,
    isOurs: instance.marker !== null,
    isFree: token.monthlyPriceCents === 0,
  })
}
