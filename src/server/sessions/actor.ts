import type { KeyScope } from '#shared/rules/people/key-scopes.ts'
import { isStaffRole, type Role } from '#shared/rules/people/roles.ts'

/** The caller of a request. While a member of the staff simulates a client, `user` is the client. */
export type Actor = {
  sessionId: number
  user: ActorUser
  /** The member of the staff behind a simulation. */
  admin: { id: number; email: string | null; role: Role } | undefined
  /** Of the person who signed in; undefined without one. `provenAt`: its last code in this session. */
  secondFactor: { provenAt: Date | null } | undefined
  /** The API key that the call came with, instead of a session. */
  key?: ActorKey | undefined
}

/** What a key is limited to. Its daily limit is read when it pays. */
export type ActorKey = {
  id: number
  scopes: readonly KeyScope[]
  /** Null: every server of the account. */
  instanceIds: readonly number[] | null
}

/** The session of a call by key; no row has it. */
export const NO_SESSION = 0

/**
 * Sees everybody's things. Not so while looking at the product as a client does. What each role may
 * do with them is decided by the route guard.
 */
export const isAdmin = ({ user, admin }: Actor): boolean =>
  isStaffRole(user.role) && admin === undefined

/** A member of the staff, also while looking at the product as a client does. */
export const isOperator = ({ user, admin }: Pick<Actor, 'user' | 'admin'>): boolean =>
  isStaffRole(user.role) || admin !== undefined

/** An API key can be bound to certain servers: to it, the others of its account do not exist. */
export const reachesServer = ({ key }: Pick<Actor, 'key'>, instanceId: number): boolean =>
  key?.instanceIds?.includes(instanceId) ?? true

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
