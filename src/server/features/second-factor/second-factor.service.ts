import { eq } from 'drizzle-orm'
import type { Proof } from '#shared/api/people/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { createOwnerCheck } from '../../accounts/require-owner.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createPasswordGate } from '../../limits/password-gate.ts'
import { isPassword } from '../../passwords/passwords.ts'
import type { Deps } from '../../runtime/deps.ts'
import { removeSecondFactor, type SecondFactors } from '../../second-factor/second-factors.ts'
import { appUri } from '../../second-factor/totp.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'

type SecondFactorDeps = Pick<Deps, 'db' | 'clock' | 'config'> & {
  audit: Audit
  limiters: Limiters
  sessions: Sessions
  secondFactors: SecondFactors
}

export function secondFactorService(deps: SecondFactorDeps) {
  const { db, config, audit, sessions, secondFactors } = deps
  const { passkeys } = secondFactors
  const requireOwner = createOwnerCheck(deps)
  const gate = createPasswordGate(deps.limiters)
  const isRequired = ({ user }: Actor) =>
    isStaffRole(user.role) && config.operatorSecondFactor === 'required'
  const inSession = ({ user }: Actor) => ({ userId: user.id, door: 'session' as const })

  return {
    async state(actor: Actor) {
      const state = await secondFactors.stateOf(db, actor.user.id)
      return { ...state, isRequired: isRequired(actor) }
    },

    async begin(actor: Actor, password: string | undefined) {
      await requireOwner(actor, password)
      const { id, username, email } = actor.user
      const secret = await db.transaction((tx) => secondFactors.begin(tx, id))
      const uri = appUri({ secret, issuer: config.brandName, account: email ?? username })
      return { secret, uri }
    },

    /** Ends the other sessions: they were begun without it. */
    async confirm(actor: Actor, code: string) {
      const { id } = actor.user
      const recoveryCodes = await secondFactors.confirm(id, code, async (tx) => {
        await sessions.prove(tx, actor.sessionId)
        await sessions.endAllOf(tx, id, actor.sessionId)
        await audit.record(tx, actor, { action: 'account.second-factor-on', target: `user:${id}` })
      })
      return { recoveryCodes }
    },

    async prove(actor: Actor, { code = '', passkey }: Proof): Promise<void> {
      const { user, sessionId } = actor
      const proven = (tx: Db) => sessions.prove(tx, sessionId)
      if (!passkey) return await secondFactors.use(inSession(actor), code, proven)
      await passkeys.use({ use: 'prove', userId: user.id, sessionId }, passkey, proven)
    },

    async turnOff(actor: Actor, { password, code }: { password: string; code: string }) {
      if (!actor.secondFactor) throw new AppError('INVALID_STATE', 'Your second factor is off.')
      const { id } = actor.user
      const [user] = await db.select().from(users).where(eq(users.id, id))
      await gate.pass(id, () => isPassword(user?.passwordHash, password))
      await secondFactors.use(inSession(actor), code, async (tx) => {
        await removeSecondFactor(tx, id)
        await audit.record(tx, actor, { action: 'account.second-factor-off', target: `user:${id}` })
      })
    },
  }
}
