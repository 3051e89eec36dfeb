import type { User } from '#shared/api/users.ts'

/** Why this account cannot be simulated; undefined: it can. */
export function simulateRefusal({ role, isActive }: Pick<User, 'role' | 'isActive'>) {
  if (role === 'admin') return 'Cannot simulate admin'
  if (!isActive) return 'Only active users can be simulated.'
  return undefined
}
