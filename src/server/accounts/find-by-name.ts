import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { recoveries, recoveryKits, users } from '../db/schema/accounts.ts'

/**
 * With an @ an e-mail address, else a username. One query whatever is found, so that the time does
 * not tell what an account has.
 */
export async function findByName(db: Db, name: string) {
  const isIt = name.includes('@')
    ? eq(sql`lower(${users.email})`, name.toLowerCase())
    : eq(users.username, name)
  const [found] = await db
    .select({
      ...getTableColumns(users),
      wordsHash: recoveryKits.wordsHash,
      recoveryAt: recoveries.availableAt,
    })
    .from(users)
    .leftJoin(recoveryKits, eq(recoveryKits.userId, users.id))
    .leftJoin(recoveries, eq(recoveries.userId, users.id))
    .where(isIt)
    .limit(1)
  return found
}
