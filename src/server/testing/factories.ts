import { takeUsername } from '../accounts/usernames.ts'
import { users } from '../db/schema/accounts.ts'
import type { Deps } from '../deps.ts'
import { hashPassword } from '../passwords/passwords.ts'

export const PASSWORD = 'correct horse battery'
let passwordHash: Promise<string> | undefined
let counter = 0

type UserValues = Partial<typeof users.$inferInsert>

/** Rows as the product would have made them. */
export function createFactories({ db, random }: Pick<Deps, 'db' | 'random'>) {
  const user = async (values: UserValues) => {
    passwordHash ??= hashPassword(PASSWORD)
    const hash = await passwordHash
    return await db.transaction(async (tx) => {
      const username = await takeUsername(tx, random)
      const [row] = await tx
        .insert(users)
        .values({ username, passwordHash: hash, agreedToTerms: true, ...values })
        .returning()
      if (!row) throw new Error('no user was made')
      return row
    })
  }
  const nextEmail = (name: string) => {
    counter += 1
    return `${name}-${process.pid}-${counter}@example.test`
  }
  return {
    client: (values: UserValues = {}) => user({ role: 'client', ...values }),
    admin: (values: UserValues = {}) =>
      user({ role: 'admin', email: nextEmail('admin'), ...values }),
    email: nextEmail,
  }
}
