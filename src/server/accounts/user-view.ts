import type { z } from 'zod'
import type { Me } from '#shared/api/people/auth.ts'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { dutiesOf } from '#shared/rules/people/roles.ts'
import type { users } from '../db/schema/accounts.ts'
import { type Actor, type ActorUser, isOperator } from '../sessions/actor.ts'

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

export const toMe = (
  actor: Pick<Actor, 'user' | 'admin' | 'secondFactor'>,
  isSecondFactorRequired: boolean,
): z.input<typeof Me> => {
  const { user, admin, secondFactor } = actor
  const duties = dutiesOf(admin?.role ?? user.role)
  const needsSecondFactor = isSecondFactorRequired && isOperator(actor) && !secondFactor
  return {
    ...toUser(user),
    ...(admin ? { isSimulated: true, adminUser: { email: admin.email } } : {}),
    ...(duties.length > 0 ? { duties: [...duties] } : {}),
    ...(needsSecondFactor ? { needsSecondFactor } : {}),
  }
}

/** A row of System Users. */
export const toManagedUser = (
  user: UserRow & { hasSecondFactor: boolean },
): z.input<typeof ManagedUser> => ({
  ...toUser(user),
  hasDevice: user.deviceHash !== null,
  isLookAlike: user.isLookAlike,
  registeredFrom: user.registrationIp,
  hasSecondFactor: user.hasSecondFactor,
})
