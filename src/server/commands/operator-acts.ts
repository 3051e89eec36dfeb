import { asc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { forgetRecovery } from '../accounts/recoveries.ts'
import { createAudit } from '../audit/audit-log.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import type { Db } from '../db/database.ts'
import { sessions, users } from '../db/schema/accounts.ts'
import { refuseCommonAdmin } from '../first-start/seed.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { randomPassword, systemRandom } from '../lib/random.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { removeSecondFactor } from '../second-factor/second-factors.ts'

/** An operator's command on the database. A running server carries it out on its own database. */
export const OperatorRequest = z.discriminatedUnion('act', [
  z.object({ act: z.literal('backup') }),
  z.object({ act: z.literal('audit-verify') }),
  z.object({
    act: z.literal('admin-reset'),
    email: z.string(),
    password: z.string().optional(),
  }),
])
export type OperatorRequest = z.output<typeof OperatorRequest>
export type OperatorAct = Exclude<OperatorRequest, { act: 'backup' }>

/** The output of the command, and whether it succeeded. */
export const OperatorAnswer = z.object({ lines: z.array(z.string()), isGood: z.boolean() })
export type OperatorAnswer = z.output<typeof OperatorAnswer>

export function doOperatorAct(
  db: Db,
  request: OperatorAct,
  clock: Clock = systemClock,
): Promise<OperatorAnswer> {
  return request.act === 'audit-verify' ? tellOfAudit(db) : resetAdmin(db, request, clock)
}

async function tellOfAudit(db: Db): Promise<OperatorAnswer> {
  const { entries, brokenAt } = await verifyAudit(db)
  const whole = `The audit log is whole: ${entries} entries, each sealed by the one before.`
  const changed = `The audit log was changed: entry ${brokenAt} does not fit (${entries} before it do).`
  const isGood = brokenAt === undefined
  return { lines: [isGood ? whole : changed], isGood }
}

/**
 * Gives the admin with this address (else the first one) a new password, activates the account, and
 * turns its second factor off: this is the last way in.
 */
async function resetAdmin(
  db: Db,
  { email, password: given }: Extract<OperatorAct, { act: 'admin-reset' }>,
  clock: Clock,
): Promise<OperatorAnswer> {
  const admins = await db.select().from(users).where(eq(users.role, 'admin')).orderBy(asc(users.id))
  const admin = admins.find((one) => one.email === email) ?? admins[0]
  if (!admin) {
    return { lines: ['There is no administrator yet: start Hushbox once.'], isGood: false }
  }
  if (given !== undefined) refuseCommonAdmin(given)
  const password = given ?? randomPassword(systemRandom)
  const passwordHash = await hashPassword(password)
  let hadSecondFactor = false
  await db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash, isActive: true }).where(eq(users.id, admin.id))
    await tx.delete(sessions).where(eq(sessions.userId, admin.id))
    hadSecondFactor = await removeSecondFactor(tx, admin.id)
    await forgetRecovery(tx, admin.id)
    await createAudit(clock).record(tx, undefined, {
      action: 'user.reset-password',
      target: `user:${admin.id}`,
      details: { by: 'npm run admin', ...(hadSecondFactor && { secondFactor: 'off' }) },
    })
  })
  const shown = given === undefined ? password : 'of ADMIN_PASSWORD'
  return {
    lines: [
      `${admin.email ?? admin.username} now signs in with the password`,
      shown,
      ...(hadSecondFactor ? ['Its second factor is off: set a new one up after signing in.'] : []),
    ],
    isGood: true,
  }
}
