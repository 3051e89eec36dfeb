import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'

/**
 * Under DEVICE_POLICY=trial a device that already had an account may register, but gets no trial.
 */
export async function refuseLookAlike(tx: Db, userId: number): Promise<void> {
  const [user] = await tx
    .select({ isLookAlike: users.isLookAlike })
    .from(users)
    .where(eq(users.id, userId))
  if (!user?.isLookAlike) return
  throw new AppError(
    'TRIAL_USED',
    'A free trial was used on a device that looks like yours. You can buy any server.',
  )
}
