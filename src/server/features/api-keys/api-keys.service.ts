import { and, asc, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { API_KEYS_MAX, type ApiKey, type ApiKeyCreate } from '#shared/api/people/api-keys.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { createOwnerCheck } from '../../accounts/require-owner.ts'
import type { ApiKeys } from '../../api-keys/api-keys.ts'
import { dayOf, spentOn } from '../../api-keys/spend-by-key.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { apiKeys } from '../../db/schema/ssh-keys.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Limiters } from '../../limits/limiters.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type ApiKeysDeps = Pick<Deps, 'db' | 'clock' | 'events'> & {
  audit: Audit
  limiters: Limiters
  apiKeys: ApiKeys
}
type Row = typeof apiKeys.$inferSelect

/** The keys that an account gives to its programs. */
export function apiKeysService(deps: ApiKeysDeps) {
  const { db, clock, events, audit, apiKeys: keys } = deps
  const requireOwner = createOwnerCheck(deps)

  const view = async (tx: Db, row: Row): Promise<z.input<typeof ApiKey>> => {
    const now = clock.now()
    return {
      ...row,
      isExpired: row.expiresAt !== null && row.expiresAt <= now,
      dailyLimit: row.dailyLimitCents === null ? null : decimal(row.dailyLimitCents),
      spentToday: decimal(await spentOn(tx, row.id, dayOf(now))),
    }
  }

  return {
    async list({ user }: Actor) {
      const rows = await db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, user.id))
        .orderBy(asc(apiKeys.id))
      return await Promise.all(rows.map((row) => view(db, row)))
    },

    async create(actor: Actor, { password, ...body }: z.output<typeof ApiKeyCreate>) {
      await requireOwner(actor, password)
      const userId = actor.user.id
      const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt)
      if (expiresAt && expiresAt <= clock.now()) {
        throw new AppError('INVALID_INPUT', 'Please choose an end that is still to come.')
      }
      const { key, keyHash, hint } = await keys.generate()
      // From the transaction's result: a repeated call must return the key that was stored.
      return await db.transaction(async (tx) => {
        await lockKeys(tx, userId)
        await requireServers(tx, userId, body.instanceIds ?? [])
        const [row] = await tx
          .insert(apiKeys)
          .values({
            userId,
            name: body.name,
            keyHash,
            hint,
            scopes: body.scopes,
            cidrs: [...new Set(body.cidrs ?? [])],
            instanceIds: body.instanceIds ? [...new Set(body.instanceIds)] : null,
            dailyLimitCents:
              body.dailyLimit === undefined ? null : (parseAmount(body.dailyLimit) ?? null),
            expiresAt,
            createdAt: clock.now(),
          })
          .returning()
        if (!row) throw new Error('the key was not stored')
        const details = { scopes: body.scopes }
        const target = `user:${userId}`
        await audit.record(tx, actor, { action: 'account.add-api-key', target, details })
        return { ...(await view(tx, row)), key }
      })
    },

    revoke: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const userId = actor.user.id
        const [row] = await tx
          .delete(apiKeys)
          .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
          .returning({ id: apiKeys.id })
        if (!row) throw notFound('API key')
        // A screen that was opened with it closes at once.
        await events.emit(tx, `user:${userId}`, { type: 'signed-out' })
        const target = `user:${userId}`
        await audit.record(tx, actor, { action: 'account.revoke-api-key', target })
      }),
  }
}

/**
 * Two keys that are made at once are counted one after the other. A transfer of a server takes the
 * same lock: no key is made for a server in the moment it is given away.
 */
async function lockKeys(tx: Db, userId: number): Promise<void> {
  const [row] = await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, userId))
    .for('update')
  if (!row) throw notFound('Account')
  const many = await tx.$count(apiKeys, eq(apiKeys.userId, userId))
  if (many < API_KEYS_MAX) return
  throw new AppError(
    'CONFLICT',
    `An account has at most ${API_KEYS_MAX} API keys. Revoke one that you no longer use.`,
  )
}

async function requireServers(tx: Db, userId: number, ids: number[]): Promise<void> {
  const isTheirs = and(inArray(instances.id, ids), eq(instances.ownerId, userId))
  const many = ids.length === 0 ? 0 : await tx.$count(instances, isTheirs)
  if (many === new Set(ids).size) return
  throw notFound('Instance')
}
