type FullName = { firstName: string | null; lastName: string | null }
type Named = FullName & { email: string | null; username: string | null }

export const fullName = ({ firstName, lastName }: FullName): string =>
  [firstName, lastName].filter(Boolean).join(' ')

/** Full name, else e-mail, else username. */
export const userName = (user: Named): string =>
  fullName(user) || user.email || user.username || 'Unnamed account'
