import { and, desc, eq, inArray, or } from 'drizzle-orm'
import type { z } from 'zod'
import type { PasswordChange } from '#shared/api/people/account.ts'
import { notFound } from '#shared/errors.ts'
import type { FailedLogins } from '../../accounts/failed-logins.ts'
import type { Recoveries } from '../../accounts/recoveries.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { HANDED_OVER, TAKEN_OVER } from '../../audit/taken-over.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createPasswordGate } from '../../limits/password-gate.ts'
import { refuseCommon } from '../../passwords/common-passwords.ts'
import { hashPassword, isPassword } from '../../passwords/passwords.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { operatorActs, serverNames } from './operator-acts.ts'

const ACTIVITY_MAX = 100

/** Events shown to the owner of an account. */
const SECURITY_EVENTS = [
  'auth.register',
  'auth.login',
  'auth.logout',
  'account.change-password',
  'account.end-session',
  'account.end-sessions',
  'account.add-ssh-key',
  'account.remove-ssh-key',
  'account.add-api-key',
  'account.revoke-api-key',
  'account.add-webhook',
  'account.change-webhook',
  'account.remove-webhook',
  'account.replace-webhook-secret',
  'account.webhook-off',
  'account.second-factor-on',
  'account.second-factor-off',
  'account.add-passkey',
  'account.remove-passkey',
  'account.recovery-kit',
  'account.stop-recovery',
  'auth.recovery-started',
  'auth.recovered',
  'user.reset-second-factor',
  'user.create',
  'user.update',
  'user.reset-password',
  'user.release-device',
  'instance.reveal',
  'instance.transfer-code',
  'instance.transfer-withdrawn',
  HANDED_OVER,
  TAKEN_OVER,
  'simulation.start',
  'simulation.end',
]

type AccountDeps = Pick<Deps, 'db' | 'clock'> & {
  sessions: Sessions
  audit: Audit
  failures: FailedLogins
  limiters: Limiters
  recoveries: Recoveries
}

export function accountService(deps: AccountDeps) {
  const { db, clock, sessions, audit, failures, recoveries } = deps
  const gate = createPasswordGate(deps.limiters)

  return {
    /** Ends every other session, and gives this one a new token. */
    async changePassword(actor: Actor, body: z.output<typeof PasswordChange>) {
      const { id } = actor.user
      const [user] = await db.select().from(users).where(eq(users.id, id))
      await gate.pass(id, () => isPassword(user?.passwordHash, body.currentPassword))
      refuseCommon(body.newPassword)
      const passwordHash = await hashPassword(body.newPassword)
      return await db.transaction(async (tx) => {
        await tx.update(users).set({ passwordHash, updatedAt: clock.now() }).where(eq(users.id, id))
        // The owner knows the password, so a recovery under way is a thief's, or is not needed any more.
        await recoveries.stop(tx, id)
        await sessions.endAllOf(tx, id, actor.sessionId)
        const session = await sessions.rotate(tx, actor.sessionId, undefined)
        await audit.record(tx, actor, { action: 'account.change-password', target: `user:${id}` })
        return session
      })
    },

    async sessions(actor: Actor) {
      const rows = await sessions.listOf(actor.user)
      return rows.map((row) => ({ ...row, isCurrent: row.id === actor.sessionId }))
    },

    async endSession(actor: Actor, id: number): Promise<void> {
      const own = await sessions.listOf(actor.user)
      if (!own.some((session) => session.id === id)) throw notFound('Session')
      await db.transaction(async (tx) => {
        await sessions.end(tx, id)
        await audit.record(tx, actor, {
          action: 'account.end-session',
          target: `user:${actor.user.id}`,
        })
      })
    },

    endSessions: (actor: Actor) =>
      db.transaction(async (tx) => {
        await sessions.endAllOf(tx, actor.user.id)
        await audit.record(tx, actor, {
          action: 'account.end-sessions',
          target: `user:${actor.user.id}`,
        })
      }),

    async activity(actor: Actor) {
      const { id } = actor.user
      const rows = await db
        .select()
        .from(auditLog)
        .where(
          or(
            and(eq(auditLog.subjectId, id), inArray(auditLog.action, SECURITY_EVENTS)),
            operatorActs(db, id),
          ),
        )
        .orderBy(desc(auditLog.id))
        .limit(ACTIVITY_MAX)
      const names = await serverNames(
        db,
        rows.map(({ target }) => target),
      )
      const events = rows.map((row) => ({
        id: row.id,
        at: row.at,
        action: row.action,
        by: doneBy(row, id),
        server: names.get(row.target ?? '') ?? null,
        times: 1,
      }))
      const failed = (await failures.of(id)).map(({ id: number, hour, lastAt, count }) => ({
        // Counted elsewhere, so that strangers cannot fill the log. Negative, because no id of an
        // entry is.
        id: -number,
        at: lastAt ?? hour,
        action: 'auth.login-failed',
        by: 'system' as const,
        server: null,
        times: count,
      }))
      return [...events, ...failed]
        .sort((a, b) => b.at.getTime() - a.at.getTime())
        .slice(0, ACTIVITY_MAX)
    },
  }
}

function doneBy(row: typeof auditLog.$inferSelect, me: number): 'you' | 'admin' | 'system' {
  if (row.adminSeal !== null) return 'admin'
  if (row.actorId === me || row.action === 'auth.register') return 'you'
  return row.actorSeal === null ? 'system' : 'admin'
}
