/** Why this account cannot be simulated; undefined where it can. */
export function simulateRefusal({
  role,
  isActive,
}: {
  role: string
  isActive: boolean
}): string | undefined {
  if (role !== 'client') return 'Cannot simulate admin'
  if (!isActive) return 'Only active users can be simulated.'
  return undefined
}
