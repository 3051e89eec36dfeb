import { and, eq, ne } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { hasDuty, mayManage, type Role } from '#shared/rules/people/roles.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import type { Actor } from '../../sessions/actor.ts'

/**
 * Refuses to change an account that may do more than the actor, or to give such a role. The actor's
 * role is read again: the caller holds the lock of accounts, and an earlier holder may have changed
 * it.
 */
export async function requireRights(
  tx: Db,
  { user }: Actor,
  roles: readonly (Role | undefined)[],
): Promise<void> {
  const [actor] = await tx
    .select({ role: users.role, isActive: users.isActive })
    .from(users)
    .where(eq(users.id, user.id))
  const own = actor?.isActive ? actor.role : ''
  // Not the duty of the route: support may release a device, and nothing more.
  if (!hasDuty(own, 'help')) throw forbidden('Your role does not allow this any more.')
  if (roles.some((role) => role !== undefined && !mayManage(own, role))) {
    throw forbidden(
      'Nobody can give a role, or change an account, that may do more than their own. Ask an administrator who owns the installation.',
    )
  }
}

/** An administrator gives a new role to others, never to themselves. */
export function refuseOwnRole({ user }: Actor, id: number): void {
  if (user.id !== id) return
  throw new AppError('INVALID_STATE', 'Nobody changes their own role. Ask another administrator.')
}

export async function keepAnAdmin(tx: Db, leaving: number): Promise<void> {
  const [other] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, 'admin'), eq(users.isActive, true), ne(users.id, leaving)))
    .limit(1)
  if (other) return
  throw new AppError('LAST_ADMIN', 'At least one active administrator must remain.')
}

const forbidden = (sentence: string) => new AppError('FORBIDDEN', sentence)
