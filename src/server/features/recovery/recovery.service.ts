import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Recover } from '#shared/api/people/recovery.ts'
import { AppError } from '#shared/errors.ts'
import { findByName } from '../../accounts/find-by-name.ts'
import type { Recoveries } from '../../accounts/recoveries.ts'
import { newWords, readWords } from '../../accounts/recovery-words.ts'
import { createOwnerCheck } from '../../accounts/require-owner.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { recoveryKits } from '../../db/schema/accounts.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createLoginThrottle } from '../../limits/login-throttle.ts'
import type { LimitedVisitor } from '../../limits/visitor.ts'
import { refuseCommon } from '../../passwords/common-passwords.ts'
import { hashPassword, isPassword } from '../../passwords/passwords.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type RecoveryDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'config'> & {
  audit: Audit
  limiters: Limiters
  recoveries: Recoveries
}

export function recoveryService(deps: RecoveryDeps) {
  const { db, clock, random, config, audit, recoveries } = deps
  const requireOwner = createOwnerCheck(deps)
  const throttle = createLoginThrottle(deps.limiters, 'recover')

  return {
    /** The only copy of the words is in this answer. They replace earlier ones. */
    async makeKit(actor: Actor, password: string | undefined) {
      await requireOwner(actor, password)
      const { id } = actor.user
      const words = newWords(random)
      const values = { wordsHash: await hashPassword(words.join(' ')), createdAt: clock.now() }
      await db.transaction(async (tx) => {
        await tx
          .insert(recoveryKits)
          .values({ userId: id, ...values })
          .onConflictDoUpdate({ target: recoveryKits.userId, set: values })
        await audit.record(tx, actor, { action: 'account.recovery-kit', target: `user:${id}` })
      })
      return { words }
    },

    /**
     * The same answer and the same amount of work for an unknown account, one without a kit, and
     * wrong words.
     */
    async begin(body: z.output<typeof Recover>, visitor: LimitedVisitor) {
      const { username, words, password } = body
      refuseCommon(password)
      await throttle.enter(visitor, username)
      const user = await findByName(db, username)
      const wordsHash = user?.isActive && user.role === 'client' ? user.wordsHash : null
      const isRight = await isPassword(wordsHash ?? undefined, readWords(words))
      if (!user || wordsHash === null || !isRight) throw wrongWords()
      const passwordHash = await hashPassword(password)
      const wish = { userId: user.id, wordsHash, password, passwordHash }
      const availableAt = await recoveries.begin(wish)
      if (!availableAt) throw wrongWords()
      await throttle.succeeded(visitor, username)
      return { availableAt }
    },

    async state({ user }: Actor) {
      const pending = await recoveries.pendingOf(user.id)
      const [kit] = await db.select().from(recoveryKits).where(eq(recoveryKits.userId, user.id))
      return {
        startedAt: pending?.startedAt ?? null,
        availableAt: pending?.availableAt ?? null,
        kitMadeAt: kit?.createdAt ?? null,
        delayHours: config.recoveryDelayHours,
      }
    },

    stop: (actor: Actor): Promise<void> =>
      db.transaction(async (tx) => {
        const { id } = actor.user
        if (!(await recoveries.stop(tx, id))) {
          throw new AppError('INVALID_STATE', 'No recovery of your account is under way.')
        }
        await audit.record(tx, actor, { action: 'account.stop-recovery', target: `user:${id}` })
      }),
  }
}

const wrongWords = () =>
  new AppError(
    'INVALID_CREDENTIALS',
    'The username or the words are not right. Check their spelling and their order.',
  )
