import type { ManagedUser } from '#shared/api/people/users.ts'

/** Accounts in whose names every word occurs. */
export function findUsers(users: readonly ManagedUser[], text: string): readonly ManagedUser[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return users
  return users.filter((user) => {
    const { firstName, lastName, email, username, mobileNumber } = user
    const haystack = [firstName, lastName, email, username, mobileNumber].join(' ').toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}
