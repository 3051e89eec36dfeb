import type { Role } from '#shared/api/people/users.ts'

/** The caller of a request. While an admin simulates a client, `user` is the client. */
export type Actor = {
  sessionId: number
  user: ActorUser
  /** The admin behind a simulation. */
  admin: { id: number; email: string | null } | undefined
}

/** May do everything here. Not so while looking at the product as a client does. */
export const isAdmin = ({ user, admin }: Actor): boolean =>
  user.role === 'admin' && admin === undefined

export type ActorUser = {
  id: number
  username: string
  email: string | null
  firstName: string | null
  lastName: string | null
  mobileNumber: string | null
  role: Role
  isActive: boolean
  createdAt: Date
}
