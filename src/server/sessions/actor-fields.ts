import type { PgColumn } from 'drizzle-orm/pg-core'
import type { ActorUser } from './actor.ts'

type UserColumns = Record<keyof ActorUser, PgColumn>

/** The columns of an account that an actor has. */
export const actorFields = <T extends UserColumns>(of: T) => ({
  id: of.id as T['id'],
  username: of.username as T['username'],
  email: of.email as T['email'],
  firstName: of.firstName as T['firstName'],
  lastName: of.lastName as T['lastName'],
  mobileNumber: of.mobileNumber as T['mobileNumber'],
  role: of.role as T['role'],
  isActive: of.isActive as T['isActive'],
  createdAt: of.createdAt as T['createdAt'],
})
