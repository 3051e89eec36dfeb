import { and, asc, eq, getTableColumns, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { ClientCreate, UserCreate, UserUpdate } from '#shared/api/people/users.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { forgetRecovery, type Recoveries } from '../../accounts/recoveries.ts'
import { takeUsername } from '../../accounts/usernames.ts'
import { endProgramsOf } from '../../api-keys/end-keys.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { oneAtATime } from '../../db/one-at-a-time.ts'
import { secondFactors, users } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { randomPassword } from '../../lib/random.ts'
import { refuseCommon } from '../../passwords/common-passwords.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import type { Suspensions } from '../../provisioning/lifecycle/suspension.ts'
import type { Deps } from '../../runtime/deps.ts'
import { removeSecondFactor } from '../../second-factor/second-factors.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'
import { keepAnAdmin, refuseOwnRole, requireRights } from './account-rights.ts'

/**
 * Every change of an account takes this lock first, and then the row of that account alone. Locking
 * all administrators' rows instead ends in a deadlock: a waiting transaction would keep the row of
 * an account that is no longer an administrator, out of order.
 */

type UserRow = typeof users.$inferSelect
type UsersDeps = Pick<Deps, 'db' | 'random' | 'clock' | 'events'> & {
  sessions: Sessions
  audit: Audit
  suspensions: Suspensions
  recoveries: Recoveries
}

const DEACTIVATED = 'Your account is deactivated.'

export function usersService(deps: UsersDeps) {
  const { db, random, clock, events, sessions, audit, suspensions, recoveries } = deps

  /** Changes one account in a transaction with an audit record, and notifies the admins' pages. */
  const change = <T>(
    actor: Actor,
    id: number,
    action: string,
    work: (tx: Db, user: UserRow) => Promise<Record<string, unknown>>,
    result?: T,
  ): Promise<T | undefined> =>
    db.transaction(async (tx) => {
      await oneAtATime(tx)
      const [user] = await tx.select().from(users).where(eq(users.id, id)).for('update')
      if (!user) throw notFound('User')
      await requireRights(tx, actor, [user.role])
      const details = await work(tx, user)
      await events.emit(tx, 'admins', { type: 'changed', nouns: ['users'] })
      await audit.record(tx, actor, { action, target: `user:${id}`, details })
      return result
    })

  const insert = async (
    actor: Actor,
    values: Omit<typeof users.$inferInsert, 'username'>,
    generatedPassword?: string,
  ) => {
    try {
      return await db.transaction(async (tx) => {
        await oneAtATime(tx)
        await requireRights(tx, actor, [values.role])
        const username = await takeUsername(tx, random)
        const [user] = await tx
          .insert(users)
          .values({ ...values, username })
          .returning()
        if (!user) throw new Error('the account was not stored')
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['users'] })
        await audit.record(tx, actor, {
          action: 'user.create',
          target: `user:${user.id}`,
          details: { role: user.role },
        })
        return { user, generatedPassword }
      })
    } catch (error) {
      throw asEmailConflict(error)
    }
  }

  /** Returns the instances that were not suspended before. */
  const suspendAll = async (tx: Db, userId: number): Promise<number[]> => {
    const suspended: number[] = []
    for (const which of await serversOf(tx, userId)) {
      const jobId = await suspensions.suspend(tx, which, { reason: DEACTIVATED, cause: 'operator' })
      if (jobId !== undefined) suspended.push(which.instanceId)
    }
    if (suspended.length > 0) await publishTokenChange(tx, events, userId)
    return suspended
  }

  return {
    async servers(id: number) {
      await byId(db, id)
      const theirs = await serversOf(db, id)
      const suspended = theirs.filter(({ suspendedAt }) => suspendedAt !== null).length
      return { count: theirs.length, suspended }
    },

    list: () => withSecondFactor(db).orderBy(asc(users.id)),

    clients: () => db.select().from(users).where(eq(users.role, 'client')).orderBy(asc(users.id)),

    async create(actor: Actor, { password, ...user }: z.output<typeof UserCreate>) {
      refuseCommon(password)
      const passwordHash = await hashPassword(password)
      const made = await insert(actor, { ...user, passwordHash })
      return { ...made.user, hasSecondFactor: false }
    },

    /** The client created along with an instance: a new password unless one is given (A8). */
    async createClient(actor: Actor, { password, ...client }: z.output<typeof ClientCreate>) {
      if (password !== undefined) refuseCommon(password)
      const chosen = password ?? randomPassword(random)
      const values = { ...client, passwordHash: await hashPassword(chosen) }
      // From the transaction's result: a repeated call must return the password that was stored.
      const made = await insert(actor, values, password === undefined ? chosen : undefined)
      const { id, username } = made.user
      const { generatedPassword } = made
      return { id, username, ...(generatedPassword === undefined ? {} : { generatedPassword }) }
    },

    async update(
      actor: Actor,
      id: number,
      patch: z.output<typeof UserUpdate>,
    ): Promise<ManagedRow> {
      try {
        await change(actor, id, 'user.update', async (tx, user) => {
          const losesAccess = patch.isActive === false && user.isActive
          const changesRole = patch.role !== undefined && patch.role !== user.role
          if (user.role === 'admin' && (changesRole || losesAccess)) await keepAnAdmin(tx, id)
          if (changesRole) {
            refuseOwnRole(actor, id)
            await requireRights(tx, actor, [patch.role])
          }
          const { suspendServers = false, ...values } = patch
          if (suspendServers && !losesAccess) {
            throw new AppError(
              'INVALID_INPUT',
              'Servers are suspended when an account is deactivated.',
            )
          }
          await tx
            .update(users)
            .set({ ...values, updatedAt: clock.now() })
            .where(eq(users.id, id))
          if (losesAccess || changesRole) await sessions.endAllOf(tx, id)
          // Twelve words on a paper are a way into a client's account, not into the whole house.
          if (changesRole) {
            await forgetRecovery(tx, id)
            await endProgramsOf(tx, id)
          }
          const suspended = suspendServers ? await suspendAll(tx, id) : []
          return {
            changed: Object.keys(values),
            ...(changesRole && { role: { from: user.role, to: patch.role } }),
            ...(suspendServers && { suspended }),
          }
        })
      } catch (error) {
        throw asEmailConflict(error)
      }
      return await byId(db, id)
    },

    /** Deletes a client. Its tokens are cancelled, its device may register again (T14, A3). */
    remove: (actor: Actor, id: number) =>
      change(actor, id, 'user.delete', async (tx, user) => {
        if (user.role !== 'client') {
          throw new AppError('INVALID_STATE', 'Only clients can be deleted. Deactivate the admin.')
        }
        return await deleteAccount(tx, user, { sessions, clock })
      }),

    async resetPassword(actor: Actor, id: number) {
      const password = randomPassword(random)
      const passwordHash = await hashPassword(password)
      const reset = async (tx: Db) => {
        await tx.update(users).set({ passwordHash, updatedAt: clock.now() }).where(eq(users.id, id))
        await recoveries.stop(tx, id)
        await endProgramsOf(tx, id)
        await sessions.endAllOf(tx, id, id === actor.user.id ? actor.sessionId : undefined)
        return {}
      }
      // From the transaction's result: a repeated call must return the password that was stored.
      const newPassword = await change(actor, id, 'user.reset-password', reset, password)
      return { newPassword: newPassword ?? password }
    },

    /** For an account whose owner lost the app and the recovery codes. */
    async resetSecondFactor(actor: Actor, id: number): Promise<void> {
      if (id === actor.user.id) {
        throw new AppError('INVALID_STATE', 'Turn your own second factor off in your settings.')
      }
      await change(actor, id, 'user.reset-second-factor', async (tx) => {
        if (!(await removeSecondFactor(tx, id))) {
          throw new AppError('INVALID_STATE', 'This account has no second factor.')
        }
        await sessions.endAllOf(tx, id)
        return {}
      })
    },

    async releaseDevice(actor: Actor, id: number): Promise<ManagedRow> {
      await change(actor, id, 'user.release-device', async (tx) => {
        await tx.update(users).set({ deviceHash: null }).where(eq(users.id, id))
        return {}
      })
      return await byId(db, id)
    },

    /** Deletes the network of a registration after 30 days (A12). */
    async forgetAddresses(): Promise<void> {
      const before = new Date(clock.now().getTime() - 30 * DAY_MS)
      await db
        .update(users)
        .set({ registrationIp: null })
        .where(and(isNotNull(users.registrationIp), lt(users.createdAt, before)))
    },
  }
}

/** A client's servers, in use or kept in their grace period. */
const serversOf = (db: Db, userId: number) =>
  db
    .select({
      instanceId: instances.id,
      tokenId: tokens.id,
      name: tokens.name,
      ownerId: tokens.assignedUserId,
      suspendedAt: instances.suspendedAt,
    })
    .from(tokens)
    .innerJoin(instances, eq(instances.id, tokens.assignedInstanceId))
    .where(and(eq(tokens.assignedUserId, userId), inArray(tokens.status, DELIVERED)))
    .orderBy(asc(tokens.id))

type ManagedRow = UserRow & { hasSecondFactor: boolean }

const withSecondFactor = (db: Db) =>
  db
    .select({
      ...getTableColumns(users),
      hasSecondFactor: sql<boolean>`${secondFactors.confirmedAt} is not null`,
    })
    .from(users)
    .leftJoin(secondFactors, eq(secondFactors.userId, users.id))

async function byId(db: Db, id: number): Promise<ManagedRow> {
  const [user] = await withSecondFactor(db).where(eq(users.id, id))
  if (!user) throw notFound('User')
  return user
}

function asEmailConflict(error: unknown): unknown {
  if (brokenConstraint(error) !== 'users_email') return error
  return new AppError('CONFLICT', 'Another account has this email address.', { cause: error })
}
