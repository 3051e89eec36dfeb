import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { LOGIN_PENDING } from '#shared/rules/instance/server-acts.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { tokens } from '../../db/schema/stock.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { isLoginPending } from '../../tokens/handover-rows.ts'
import { openPassword } from '../../tokens/token-rows.ts'

type RevealDeps = Pick<Deps, 'db' | 'keyring'> & { audit: Audit }

/**
 * Shows the login of one server to its owner or to an operator. Every access is recorded against
 * the account it concerns, so that clients read it in their own activity (F7). The route refuses
 * simulating admins: they reveal as themselves.
 */
export function revealLogin({ db, keyring, audit }: RevealDeps) {
  return async (actor: Actor, id: number) => {
    const { tokenId, ownerId } = await instanceFor(db, actor, id)
    return await db.transaction(async (tx) => {
      const [token] = await tx
        .select()
        .from(tokens)
        .where(eq(tokens.id, tokenId ?? 0))
      if (!token) throw none('This server has no password that we know of.')
      if (token.status === 'pending') {
        throw none('This server has no password yet: it is still being prepared.')
      }
      const password = openPassword(keyring, token)
      if (password === '') {
        const isPending = await isLoginPending(tx, token.id)
        throw none(isPending ? `${LOGIN_PENDING} Look again soon.` : 'This server has no password.')
      }
      const target = ownerId === null ? `instance:${id}` : `user:${ownerId}`
      const details = { instanceId: id }
      await audit.record(tx, actor, { action: 'instance.reveal', target, details })
      return { username: token.username, password }
    })
  }
}

const none = (sentence: string) => new AppError('NO_PASSWORD', sentence)
