import type { z } from 'zod'
import type { Me } from '#shared/api/people/auth.ts'
import type { ManagedUser } from '#shared/api/people/users.ts'
import type { users } from '../db/schema/accounts.ts'
import type { Actor, ActorUser } from '../sessions/actor.ts'

type UserRow = typeof users.$inferSelect

/** The public fields of an account. */
const toUser = (user: ActorUser) => ({
  id: user.id,
  username: user.username,
  firstName: user.firstName,
  lastName: user.lastName,
  email: user.email,
  mobileNumber: user.mobileNumber,
  role: user.role,
  isActive: user.isActive,
  createdAt: user.createdAt,
})

export const toMe = ({ user, admin }: Pick<Actor, 'user' | 'admin'>): z.input<typeof Me> => ({
  ...toUser(user),
  ...(admin ? { isSimulated: true, adminUser: { email: admin.email } } : {}),
})

/** A row of System Users. */
export const toManagedUser = (user: UserRow): z.input<typeof ManagedUser> => ({
  ...toUser(user),
  hasDevice: user.deviceHash !== null,
  isLookAlike: user.isLookAlike,
  registeredFrom: user.registrationIp,
})
