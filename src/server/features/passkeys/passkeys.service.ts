import { and, eq } from 'drizzle-orm'
import type { NewCredential, RequestOptions } from '#shared/api/people/webauthn.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { createOwnerCheck } from '../../accounts/require-owner.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { beforeEffect } from '../../db/effect-scope.ts'
import { passkeys as table } from '../../db/schema/accounts.ts'
import type { Limiters } from '../../limits/limiters.ts'
import type { Deps } from '../../runtime/deps.ts'
import { requireApp } from '../../second-factor/passkeys.ts'
import type { SecondFactors } from '../../second-factor/second-factors.ts'
import type { Actor } from '../../sessions/actor.ts'

type PasskeysDeps = Pick<Deps, 'db' | 'clock'> & {
  audit: Audit
  limiters: Limiters
  secondFactors: SecondFactors
}

/** The passkeys of an account, in place of codes and never of the password. */
export function passkeysService(deps: PasskeysDeps) {
  const { db, audit } = deps
  const { passkeys } = deps.secondFactors
  const requireOwner = createOwnerCheck(deps)
  const asOf = ({ user, sessionId }: Actor) => ({ userId: user.id, sessionId })

  return {
    list: ({ user }: Actor) => passkeys.listOf(db, user.id),

    async begin(actor: Actor, { name, password }: { name: string; password?: string | undefined }) {
      await requireOwner(actor, password)
      await requireApp(db, actor.user.id)
      return await passkeys.begin(asOf(actor), name)
    },

    async add(actor: Actor, { name, credential }: { name: string; credential: NewCredential }) {
      const { id } = actor.user
      const made = await beforeEffect(() => passkeys.readNew(asOf(actor), credential))
      return await db.transaction(async (tx) => {
        if (!made) throw new Error('the passkey was stored already')
        const row = await passkeys.store(tx, id, name, made)
        await audit.record(tx, actor, { action: 'account.add-passkey', target: `user:${id}` })
        return row
      })
    },

    async challenge(actor: Actor): Promise<RequestOptions> {
      const options = await passkeys.ask({ use: 'prove', ...asOf(actor) })
      if (options) return options
      throw new AppError('INVALID_STATE', 'You have no passkey for this address. Enter a code.')
    },

    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const userId = actor.user.id
        const [row] = await tx
          .delete(table)
          .where(and(eq(table.id, id), eq(table.userId, userId)))
          .returning({ id: table.id })
        if (!row) throw notFound('Passkey')
        const target = `user:${userId}`
        await audit.record(tx, actor, { action: 'account.remove-passkey', target })
      }),
  }
}
