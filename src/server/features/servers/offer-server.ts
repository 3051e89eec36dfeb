import { and, eq } from 'drizzle-orm'
import { TRANSFER_CODE_MS } from '#shared/rules/token/transfer.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { handoverCodes } from '../../db/schema/handovers.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { randomPassword } from '../../lib/random.ts'
import { hashOfCode } from '../../provisioning/handover/transfer-code.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer } from './locked-server.ts'
import type { ViewDeps } from './server-view.ts'

type OfferDeps = ViewDeps & Pick<Deps, 'db' | 'random' | 'events'> & { audit: Audit }

/** Codes with which the owner of a server hands it to another account. */
export function offerServer(deps: OfferDeps) {
  const { db, clock, random, events, audit } = deps

  const record = async (tx: Db, actor: Actor, id: number, action: string) => {
    await publishTokenChange(tx, events, actor.user.id)
    const target = `instance:${id}`
    await audit.record(tx, actor, { action, target, subject: actor.user.id })
  }

  return {
    /** Makes a code; the last one is useless from then on. */
    offer: (actor: Actor, id: number): Promise<{ code: string; expiresAt: Date }> =>
      db.transaction(async (tx) => {
        const { token } = await lockServer(tx, { actor, id, act: 'transfer' }, deps)
        const code = randomPassword(random)
        const createdAt = clock.now()
        const expiresAt = new Date(createdAt.getTime() + TRANSFER_CODE_MS)
        const codeHash = hashOfCode(code)
        if (codeHash === undefined) throw new Error('the code has not the form of one')
        const values = { giverId: actor.user.id, codeHash, createdAt, expiresAt }
        await tx
          .insert(handoverCodes)
          .values({ tokenId: token.id, ...values })
          .onConflictDoUpdate({ target: handoverCodes.tokenId, set: values })
        await record(tx, actor, id, 'instance.transfer-code')
        return { code, expiresAt }
      }),

    withdraw: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const { tokenId } = await instanceFor(tx, actor, id)
        const isOpen = and(
          eq(handoverCodes.tokenId, tokenId ?? 0),
          eq(handoverCodes.giverId, actor.user.id),
        )
        const withdrawn = await tx.delete(handoverCodes).where(isOpen).returning()
        if (withdrawn.length > 0) await record(tx, actor, id, 'instance.transfer-withdrawn')
      }),
  }
}
