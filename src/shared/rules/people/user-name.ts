import type { User } from '../../api/people/users.ts'

type Named = Pick<User, 'firstName' | 'lastName' | 'email' | 'username'>

export const fullName = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ')

/** Full name, else e-mail, else username. */
export const userName = (user: Named): string =>
  fullName(user) || user.email || user.username || 'Unnamed account'
