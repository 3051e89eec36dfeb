import { and, asc, eq } from 'drizzle-orm'
import { createAudit } from '../audit/audit-log.ts'
import { sessions, users } from '../db/schema/accounts.ts'
import { refuseCommonAdmin } from '../db/seed.ts'
import { systemClock } from '../deps.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { randomPassword, systemRandom } from '../random.ts'
import { withDatabase } from './with-database.ts'

/** Gives the admin of ADMIN_EMAIL (else the first one) a new password, and makes it active. */
await withDatabase(async ({ db }, config) => {
  const admins = await db
    .select()
    .from(users)
    .where(and(eq(users.role, 'admin')))
    .orderBy(asc(users.id))
  const admin = admins.find(({ email }) => email === config.adminEmail) ?? admins[0]
  if (!admin) throw new Error('There is no administrator yet: start Hushbox once.')
  if (config.adminPassword !== undefined) refuseCommonAdmin(config.adminPassword)
  const password = config.adminPassword ?? randomPassword(systemRandom)
  const passwordHash = await hashPassword(password)
  await db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash, isActive: true }).where(eq(users.id, admin.id))
    await tx.delete(sessions).where(eq(sessions.userId, admin.id))
    await createAudit(systemClock).record(tx, undefined, {
      action: 'user.reset-password',
      target: `user:${admin.id}`,
      details: { by: 'npm run admin' },
    })
  })
  console.log(`${admin.email ?? admin.username} now signs in with the password`)
  console.log(config.adminPassword === undefined ? password : 'of ADMIN_PASSWORD')
})
